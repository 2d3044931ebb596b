"""The settings of a DMS S3 target that the DMS emulator follows."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from development.emulator.errors import EmulatorError

ALLOWED: dict[str, tuple[object, ...]] = {
    "data_format": ("parquet", "csv"),
    "compression_type": ("none", "gzip"),
    "parquet_version": ("parquet-1-0", "parquet-2-0"),
    "date_partition_sequence": ("YYYYMMDD", "YYYYMMDDHH", "YYYYMM", "MMYYYYDD", "DDMMYYYY"),
    "date_partition_delimiter": ("SLASH", "DASH", "UNDERSCORE", "NONE"),
}


@dataclass(frozen=True)
class S3Settings:
    """The fields of ``S3Settings`` of the DMS API, in snake case, with the API's values.

    The defaults are those of DMS except ``data_format``, whose default there is ``csv``. A setting
    that is not a field here is not followed and cannot be given.
    Source of each rule: DMS user guide, "Using Amazon S3 as a target", and the API model.
    """

    data_format: str = "parquet"
    compression_type: str = "none"
    """``gzip`` is applied inside a Parquet file, whose name stays ``.parquet``; a CSV file is
    compressed as a whole, and its name then ends in ``.csv.gz``."""
    csv_delimiter: str = ","
    csv_row_delimiter: str = "\n"
    csv_null_value: str = "NULL"
    """How NULL is written; never in quotes."""
    add_column_name: bool = False
    """Begin CSV files with a row of the names of their columns."""
    rfc4180: bool = True
    """Put quotes around fields that need them; false: never, so values may break their row."""
    parquet_version: str = "parquet-1-0"
    """The version of the data pages; the column types are the same in both."""
    row_group_length: int = 10_024
    """Rows in a row group."""
    parquet_timestamp_in_millisecond: bool = False
    """False: timestamps in microseconds. The timestamp column is text and not affected."""
    include_op_for_full_load: bool = False
    """Write ``Op`` (always ``I``) in full load files too."""
    cdc_inserts_only: bool = False
    """Write inserts only; ``Op`` then follows ``include_op_for_full_load``."""
    cdc_inserts_and_updates: bool = False
    """Write no deletes; ``Op`` then follows ``include_op_for_full_load``, as the API model says."""
    timestamp_column_name: str = ""
    """Text column ``yyyy-MM-dd HH:mm:ss.SSSSSS``: commit time of a change, else transfer time."""
    use_task_start_time_for_full_load_timestamp: bool = False
    """Full load rows carry the time the task was made and not the time of their transfer."""
    date_partition_enabled: bool = False
    """Put change files in folders by commit date (UTC)."""
    date_partition_sequence: str = "YYYYMMDD"
    date_partition_delimiter: str = "SLASH"
    preserve_transactions: bool = False
    """Write the changes of all tables to the same CSV files, in the order of their commits."""
    cdc_path: str = ""
    """The folder of these files."""
    cdc_max_batch_interval: int = 60
    """Seconds between two batches of change files while following a source."""

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            # bool is a subclass of int, and true is no number of rows.
            if type(value) is not setting.type:
                expected = getattr(setting.type, "__name__", setting.type)
                raise EmulatorError(
                    f"S3 setting {setting.name}: {value!r} is not allowed; expected type "
                    f"{expected}."
                )
            if setting.name in ALLOWED and value not in ALLOWED[setting.name]:
                allowed = ", ".join(str(choice) for choice in ALLOWED[setting.name])
                raise EmulatorError(
                    f"S3 setting {setting.name}: {value!r} is not supported; allowed: {allowed}."
                )
            if setting.type is int and value < 1:
                raise EmulatorError(
                    f"S3 setting {setting.name}: {value} is not allowed; expected 1 or more."
                )
        if self.cdc_inserts_only and self.cdc_inserts_and_updates:
            raise EmulatorError(
                "S3 settings cdc_inserts_only and cdc_inserts_and_updates are both true; "
                "DMS allows one of them: set the other to false."
            )

        if self.preserve_transactions != bool(self.cdc_path):
            raise EmulatorError(
                "S3 settings preserve_transactions and cdc_path go together: give both or neither."
            )
        if self.preserve_transactions and (self.add_column_name or self.date_partition_enabled):
            raise EmulatorError(
                "S3 setting preserve_transactions: DMS does not allow it with add_column_name or "
                "date_partition_enabled: set these to false."
            )

    @classmethod
    def from_dms(cls, settings: Mapping[str, object]) -> Self:
        """Read the DMS spelling, as in ``aws dms create-endpoint --s3-settings`` (JSON).

        Raises ``EmulatorError`` for a key or a value the DMS emulator does not follow.
        """
        names = {_dms_spelling(setting.name): setting.name for setting in fields(cls)}
        unknown = sorted(set(settings) - set(names))
        if unknown:
            raise EmulatorError(
                f"S3 setting {unknown[0]} = {settings[unknown[0]]!r} is not followed by the "
                f"DMS emulator; allowed: {', '.join(sorted(names))}. Leave it out."
            )
        values: dict[str, object] = {names[key]: value for key, value in settings.items()}
        return cls(**values)  # type: ignore[arg-type]  # __post_init__ checks every type

    @property
    def extension(self) -> str:
        """What the names of full load files and of change files end with."""
        return ".parquet" if self.data_format == "parquet" else self.csv_extension

    @property
    def csv_extension(self) -> str:
        """What the names of CSV files end with."""
        return ".csv.gz" if self.compression_type == "gzip" else ".csv"

    @property
    def load_has_op(self) -> bool:
        """Whether full load files have the ``Op`` column."""
        return self.include_op_for_full_load

    @property
    def change_has_op(self) -> bool:
        """Whether change files have the ``Op`` column."""
        if self.cdc_inserts_only or self.cdc_inserts_and_updates:
            return self.include_op_for_full_load
        return True

    def captures(self, op: str) -> bool:
        """Whether a change of this kind (I, U or D) is written at all."""
        if self.cdc_inserts_only:
            return op == "I"
        return op != "D" or not self.cdc_inserts_and_updates


def _dms_spelling(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
