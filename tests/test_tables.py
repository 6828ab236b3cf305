"""Text files and spreadsheets: every cell as it was typed, every row accounted for, and where the places are."""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from layers.errors import FieldError, SourceError
from layers.sources.places import find_places
from layers.sources.tables import read_tables
from tests.received import LAT, LON, text, untimed, workbook


def rows(path: Path, **asked: str) -> list[list[str]]:
    return read_tables(path, **asked)[0].frame.to_numpy().tolist()


def columns(path: Path) -> list[str]:
    return list(read_tables(path)[0].frame)


# -- text files


def test_zeros_and_points_of_ids_stay(tmp_path: Path) -> None:
    path = text(tmp_path / "t.csv", "SWIS,SBL,PRINT_KEY", "055089,00200001010000000000,2.10", "055089,002,2.1")
    assert rows(path) == [["055089", "00200001010000000000", "2.10"], ["055089", "002", "2.1"]]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    assert columns(text(tmp_path / "t.csv", "ID,NAME", "1,a", encoding="utf-8-sig")) == ["ID", "NAME"]


@pytest.mark.parametrize("sign", [";", "\t", "|", ","])
def test_the_sign_between_cells_is_found(tmp_path: Path, sign: str) -> None:
    path = text(tmp_path / "t.csv", f"ID{sign}NAME{sign}NOTE", f"1{sign}a{sign}b")
    assert rows(path) == [["1", "a", "b"]]


def test_a_file_that_says_its_sign(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "sep=;", "ID;NAME", "1;a, b")) == [["1", "a, b"]]


def test_a_quoted_cell_may_go_over_lines(tmp_path: Path) -> None:
    path = text(tmp_path / "t.csv", "ID,NOTE", '1,"first line', 'second, line"', "2,x")
    assert rows(path) == [["1", "first line\nsecond, line"], ["2", "x"]]


def test_a_quote_within_a_cell_is_kept(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "ID,SIZE", '1,12" RCP', '2,"8"" PVC"')) == [["1", '12" RCP'], ["2", '8" PVC']]


def test_a_quote_that_never_closes_swallows_nothing(tmp_path: Path) -> None:
    path = text(tmp_path / "t.csv", "ID,NOTE", '1,"open', "2,x", "3,y")
    with pytest.raises(SourceError, match=r"t\.csv, row 4") as caught:
        read_tables(path)
    assert caught.value.code == "source_ragged"


def test_separators_that_python_takes_for_line_ends_are_text(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "ID,NOTE", "1,a\x0bb\u2028c")) == [["1", "a\x0bb\u2028c"]]


def test_blank_rows_are_no_rows(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "", "ID,NAME", "1,a", ",", "  ,", "2,b")) == [["1", "a"], ["2", "b"]]


def test_rows_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    path = text(tmp_path / "t.csv", "ID,NAME", "1,a", ",", "2,b")
    assert list(read_tables(path)[0].frame.index) == [2, 4]


def test_a_row_with_too_many_cells_is_refused(tmp_path: Path) -> None:
    path = text(tmp_path / "t.csv", "ID,NAME", "1,a", "2,b,c")
    with pytest.raises(SourceError, match=r"t\.csv, row 3, has more cells than the header"):
        read_tables(path)


def test_empty_cells_too_many_are_none(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "ID,NAME", "1,a,,")) == [["1", "a"]]


def test_a_row_with_too_few_cells_is_filled_and_said(tmp_path: Path) -> None:
    table = read_tables(text(tmp_path / "t.csv", "ID,NAME,NOTE", "1,a,b", "2"))[0]
    assert table.frame.to_numpy().tolist() == [["1", "a", "b"], ["2", "", ""]]
    assert dict(table.notes)["short_rows"] == "1 rows have fewer cells than the header, the first is row 3"


def test_a_column_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has the column ID twice; rename one of them"):
        read_tables(text(tmp_path / "t.csv", "ID,NAME, ID ", "1,a,2"))


def test_empty_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    assert columns(text(tmp_path / "t.csv", "ID,,NAME,,", "1,,a,,")) == ["ID", "NAME"]


def test_a_column_without_a_name_that_holds_something_gets_one(tmp_path: Path) -> None:
    assert columns(text(tmp_path / "t.csv", "ID,,NAME", "1,x,a")) == ["ID", "column 2", "NAME"]


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "ID,NAME")) == []


def test_a_file_without_text_is_no_table(tmp_path: Path) -> None:
    assert read_tables(text(tmp_path / "t.csv", "")) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_the_encoding_is_found(tmp_path: Path, encoding: str) -> None:
    assert rows(text(tmp_path / "t.csv", "ID,NAME", "1,Café", encoding=encoding)) == [["1", "Café"]]


def test_the_encoding_can_be_told(tmp_path: Path) -> None:
    assert rows(text(tmp_path / "t.csv", "ID,NAME", "1,Café", encoding="cp437"), encoding="cp437") == [["1", "Café"]]


def test_a_long_first_line_does_not_lose_its_letters(tmp_path: Path) -> None:
    header = ",".join(["ID", *(f"é{at}" for at in range(20_000))])
    assert columns(text(tmp_path / "t.csv", header, "1" + ",x" * 20_000))[-1] == "é19999"


def test_text_in_no_encoding_that_was_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"ID,NAME\n1,\x81\x8d\n")
    with pytest.raises(SourceError, match="not in UTF-8 or Windows-1252; name its encoding") as caught:
        read_tables(tmp_path / "t.csv")
    assert caught.value.code == "source_encoding"


def test_a_lake_as_text_is_no_longer_than_a_cell_may_be(tmp_path: Path) -> None:
    long = ", ".join(f"{at} {at}" for at in range(40_000))
    assert rows(text(tmp_path / "t.csv", "ID,WKT", f'1,"{long}"'))[0][1] == long


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(max_size=8)), min_size=1, max_size=6))
@untimed
def test_what_a_spreadsheet_program_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    known = [(f"x{a}", b) for a, b in cells if "\0" not in a + b and not {"\r", "\n"} & set(a + b)]
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        csv.writer(stream).writerows([("ID", "NOTE"), *known])
    found = rows(path) if known else []
    assert found == [[a.encode("utf-8", "replace").decode(), b.encode("utf-8", "replace").decode()] for a, b in known]


# -- spreadsheets


def test_a_sheet_is_read_as_text(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "t.xlsx",
        ["ID", "N", "SIZE", "ON", "AT"],
        ["007", 12345, 1.5, date(2024, 7, 1), datetime(2024, 7, 1, 23, 30)],  # noqa: DTZ001 - as a sheet holds it
    )
    assert rows(path) == [["007", "12345", "1.5", "2024-07-01", "2024-07-01T23:30:00"]]


def test_whole_numbers_have_no_point(tmp_path: Path) -> None:
    assert rows(workbook(tmp_path / "t.xlsx", ["ID"], [12345.0])) == [["12345"]]


@pytest.mark.parametrize(
    ("value", "shape", "shown"),
    [(55089, "000000", "055089"), (2.1, "0.00", "2.10"), (7, "0", "7"), (2.1, "General", "2.1")],
)
def test_zeros_that_the_format_adds_are_shown(tmp_path: Path, value: float, shape: str, shown: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["SWIS"])
    book.active["A2"] = value
    book.active["A2"].number_format = shape
    book.save(tmp_path / "t.xlsx")
    assert rows(tmp_path / "t.xlsx") == [[shown]]


def test_blank_rows_and_blank_columns_move_nothing(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", [], ["ID", None, "NAME"], [None, None, None], ["1", None, "a"])
    table = read_tables(path)[0]
    assert table.frame.to_dict("list") == {"ID": ["1"], "NAME": ["a"]}
    assert list(table.frame.index) == [4]


def test_a_title_above_the_header_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ["Drains of 2024"], ["ID", "NAME"], ["1", "a"])
    with pytest.raises(SourceError, match="row 1, leaves 1 of its columns without a name; delete titles above"):
        read_tables(path)


def test_a_column_twice_in_a_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"t\.xlsx, sheet Drains has the column ID twice"):
        read_tables(workbook(tmp_path / "t.xlsx", ["ID", "ID"], ["1", "2"], sheet="Drains"))


def test_a_formula_without_a_value_is_said(tmp_path: Path) -> None:
    table = read_tables(workbook(tmp_path / "t.xlsx", ["ID", "LEN"], ["1", "=2*3"]))[0]
    assert table.frame.to_numpy().tolist() == [["1", ""]]
    assert "1 formulas hold no stored value and were read as empty: B2" in dict(table.notes)["formula_unread"]


def test_merged_cells_are_said(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ["ID", "ROAD"], ["1", "Mill St"], ["2", None])
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("B2:B3")
    book.save(path)
    table = read_tables(path)[0]
    assert table.frame["ROAD"].tolist() == ["Mill St", ""]
    assert "B2:B3" in dict(table.notes)["merged_cells"]


def test_numbers_longer_than_a_spreadsheet_keeps_are_said(tmp_path: Path) -> None:
    table = read_tables(workbook(tmp_path / "t.xlsx", ["SBL"], [1234567890123456789]))[0]
    assert "A2" in dict(table.notes)["number_cut"]


def test_sheets_without_anything_are_no_layers(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ["ID"], ["1"], sheet="Drains")
    book = openpyxl.load_workbook(path)
    book.create_sheet("Sheet2")
    book.save(path)
    assert [each.name for each in read_tables(path)] == ["Drains"]


def test_a_damaged_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", ["ID"], ["1"])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(SourceError, match="is no spreadsheet, is locked, or is damaged"):
        read_tables(path)


# -- places


def table(**cells: list[str]) -> pd.DataFrame:
    return pd.DataFrame(cells, dtype=object)


@pytest.mark.parametrize(
    ("x", "y"), [("LONGITUDE", "LATITUDE"), ("Lon", "Lat"), ("long", "lat"), ("FacLong", "FacLat")]
)
def test_longitude_and_latitude_are_found_by_name(x: str, y: str) -> None:
    places = find_places(table(**{y: [str(LAT)], x: [str(LON)]}), name="t.csv")
    assert places.shapes[0].wkt == "POINT (-73.6 41.33)"
    assert places.crs is not None
    assert places.crs.to_epsg() == 4326
    assert places.basis == f"columns {x}, {y}"


def test_columns_called_x_and_y_say_no_crs() -> None:
    places = find_places(table(X=["739288"], Y=["910705"]), name="t.csv")
    assert places.shapes[0].wkt == "POINT (739288 910705)"
    assert places.crs is None


def test_columns_named_in_the_crosswalk() -> None:
    places = find_places(table(A=["1"], B=["2"]), name="t.csv", x="A", y="B")
    assert (places.shapes[0].wkt, places.columns) == ("POINT (1 2)", ("A", "B"))


def test_a_column_named_that_is_not_there() -> None:
    with pytest.raises(FieldError, match=r"t\.csv has no column EAST; it has A, B"):
        find_places(table(A=["1"], B=["2"]), name="t.csv", x="EAST", y="B")


def test_x_without_y() -> None:
    with pytest.raises(FieldError, match="needs both x and y"):
        find_places(table(A=["1"]), name="t.csv", x="A")


def test_a_row_without_a_place_is_not_located_and_one_that_cannot_be_read_is_told() -> None:
    places = find_places(table(LON=["", "-73.6", "73°36'W", " "], LAT=["", "41.33", "41.33", "41.33"]), name="t.csv")
    assert [shape is not None for shape in places.shapes] == [False, True, False, False]
    assert places.unread == [2, 3]


def test_a_table_without_places() -> None:
    assert not any(find_places(table(ID=["1"]), name="t.csv").shapes)


def test_a_column_of_wkt_is_found_and_its_faults_are_told() -> None:
    places = find_places(table(WKT=["POINT (1 2)", "", "POINT (1"]), name="t.csv")
    assert [shapely.to_wkt(shape) if shape else None for shape in places.shapes] == ["POINT (1 2)", None, None]
    assert places.unread == [2]
