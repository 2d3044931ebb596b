"""Texts are staged in the form that trim, lower and unaccent ask for, whatever the file is."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.folding import folded
from tests.reader.reading import read


@pytest.mark.parametrize(
    ("folds", "text", "becomes"),
    [
        ((), "Ë  ", "Ë  "),
        (("trim",), " a  ", " a"),
        (("lower",), "ÄB ", "äb "),
        (("lower",), "ΔΩ", "δω"),
        (("unaccent",), "Zoë Ñandú", "Zoe Nandu"),
        # With the accent as a character of its own.
        (("unaccent",), "Zoe\u0308", "Zoe"),
        (("unaccent",), "Straße Øl Łódź Æsop", "Strasse Ol Lodz AEsop"),
        # Signs of other scripts are letters there, and no accents.
        (("unaccent",), "कि 日本語 🐑", "कि 日本語 🐑"),
        (("trim", "lower", "unaccent"), "İZMİR ", "izmir"),
        (("lower", "unaccent"), "", ""),
    ],
)
def test_a_text_is_brought_to_the_form_that_is_asked_for(
    folds: tuple[str, ...], text: str, becomes: str
) -> None:
    assert folded(pa.array([text, None]), folds).to_pylist() == [becomes, None]
    # In whatever company.
    assert folded(pa.array(["a", text, "ß"]), folds)[1].as_py() == becomes
    # And once for all.
    assert folded(pa.array([becomes]), folds).to_pylist() == [becomes]


def test_keys_and_the_keys_before_a_change_are_folded_in_parquet_and_csv(tmp_path: Path) -> None:
    rows = [("U", "Zoë", "ZOE ", "Éa"), ("U", "B", "a", "Éa")]
    names = ["Op", "id", "BI_id", "name"]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    pq.write_table(pa.table(columns), tmp_path / "20201114-100000000.parquet")
    text = "\n".join(",".join(row) for row in [names, *rows])
    (tmp_path / "20201114-100000000.csv").write_text(text + "\n", encoding="utf-8")
    for name in ("20201114-100000000.parquet", "20201114-100000000.csv"):
        found, _ = read(
            tmp_path / name,
            {"id": "string", "name": "string"},
            trim=("id",), lower=("id",), unaccent=("id",),
            before_image_prefix="BI_",
            csv=CsvFormat(header=True),
        )  # fmt: skip
        assert [(row["_dms_op"], row["id"], row["name"]) for row in found] == [
            ("U", "zoe", "Éa"), ("D", "a", None), ("U", "b", "Éa"),
        ]  # fmt: skip
