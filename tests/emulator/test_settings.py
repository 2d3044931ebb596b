"""S3 settings: what is allowed, what is refused, and the spelling of DMS."""

from typing import Any

import pytest

from development.emulator import EmulatorError, S3Settings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"data_format": "orc"}, "data_format: 'orc' is not supported; allowed: parquet, csv"),
        ({"preserve_transactions": True}, "preserve_transactions and cdc_path go together"),
        ({"cdc_path": "txn"}, "preserve_transactions and cdc_path go together"),
        (
            {"preserve_transactions": True, "cdc_path": "txn", "date_partition_enabled": True},
            "does not allow it with add_column_name or date_partition_enabled",
        ),
        ({"compression_type": "GZIP"}, "compression_type: 'GZIP' .* allowed: none, gzip"),
        ({"date_partition_sequence": "YYYY"}, "date_partition_sequence: 'YYYY' .*YYYYMMDDHH"),
        ({"date_partition_delimiter": "/"}, "date_partition_delimiter: '/' .*SLASH"),
        ({"row_group_length": 0}, "row_group_length: 0 .* 1 or more"),
        ({"row_group_length": True}, "row_group_length: True .* type int"),
        ({"cdc_inserts_only": "true"}, "cdc_inserts_only: 'true' .* type bool"),
        ({"cdc_inserts_only": True, "cdc_inserts_and_updates": True}, "both true"),
    ],
)
def test_a_setting_that_is_not_followed_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(EmulatorError, match=message):
        S3Settings(**settings)


def test_the_spelling_of_dms_is_read() -> None:
    settings = S3Settings.from_dms(
        {
            "DataFormat": "csv",
            "CsvDelimiter": "|",
            "Rfc4180": False,
            "IncludeOpForFullLoad": True,
            "ParquetTimestampInMillisecond": True,
            "UseTaskStartTimeForFullLoadTimestamp": True,
            "CdcMaxBatchInterval": 5,
        }
    )
    assert settings == S3Settings(
        data_format="csv",
        csv_delimiter="|",
        rfc4180=False,
        include_op_for_full_load=True,
        parquet_timestamp_in_millisecond=True,
        use_task_start_time_for_full_load_timestamp=True,
        cdc_max_batch_interval=5,
    )


def test_an_unknown_setting_of_dms_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        EmulatorError, match=r"CsvNoSupValue = '\?' .* allowed: .*TimestampColumnName"
    ):
        S3Settings.from_dms({"CsvNoSupValue": "?"})
