"""One import from source to layers: fields, several layers from one file, what is warned of, what is refused."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from layers.errors import CallError, CRSError, FieldError, LayerError
from layers.ingest import Report, Request, ingest
from layers.ingest.codes import REJECTED, REPAIRED, WARNINGS
from tests.received import (
    LAT,
    LON,
    X,
    Y,
    basins,
    codes,
    frame,
    geojson,
    ids,
    line,
    lot,
    near,
    relabelled,
    settings,
    take,
    take_by,
    text,
    told,
    untimed,
    workbook,
    write,
)
from tests.received import not_taken as refused

BOUNDLESS = settings(bounds=[])
POINT = {"type": "Point", "coordinates": [LON, LAT]}


# -- fields


def test_the_report_says_what_became_of_every_column(tmp_path: Path) -> None:
    _, report = take(text(tmp_path / "b.csv", "CB_ID,RIM,OWNER,NOTE,LAT,LON", f"1,500,Town,x,{LAT},{LON}"))
    assert report.mapped == {"asset_id": "CB_ID", "rim_ft": "RIM", "owner": "OWNER"}
    assert report.unmapped == ["NOTE"]
    assert "invert_ft" in report.missing
    assert "source" not in report.missing


def test_columns_cut_to_ten_letters_are_mapped_and_shown(tmp_path: Path) -> None:
    path = write(
        tmp_path / "o.shp", frame([near()], OUTFALL_ID=["1"], receiving_water=["Brook"], receiving_wbid=["1302"])
    )
    _, report = take(path, "outfalls")
    assert report.mapped["recv_name"] == "receiving_"
    assert report.unmapped == ["receivin_1"]


def test_owner_and_owner_in_capitals_are_said(tmp_path: Path) -> None:
    layers, report = take(text(tmp_path / "b.csv", "CB_ID,Owner,OWNER", "1,Town,State"))
    assert list(layers["catch_basins"]["owner"]) == ["Town"]
    assert told(report, "columns_alike") == "the columns Owner, OWNER have one name; Owner is read"


def test_of_two_columns_with_one_name_a_crosswalk_chooses(tmp_path: Path) -> None:
    path = text(tmp_path / "b.csv", "CB_ID,Owner,OWNER", "1,Town,State")
    layers, reports = take_by(
        path, {"target": [{"layer": "catch_basins", "id": "CB_ID", "fields": {"owner": "OWNER"}}]}
    )
    assert list(layers["catch_basins"]["owner"]) == ["State"]
    assert told(reports[0], "columns_alike").endswith("; OWNER is read")


def test_what_a_crosswalk_says_of_values_is_not_said_of_a_field_that_no_column_fills(tmp_path: Path) -> None:
    target = {
        "layer": "catch_basins",
        "id": "CB_ID",
        "values": {"owner": {"*": "Private"}, "status": {"*": "abandoned"}},
    }
    path = text(tmp_path / "b.csv", "CB_ID", "1")
    layers, reports = take_by(path, {"target": [{**target, "set": {"status": "active"}}]})
    assert layers["catch_basins"].loc["1", ["owner", "status"]].tolist() == ["unknown", "active"]
    assert reports[0].to_json()["values"] == {"unknown": {}}


def test_a_file_whose_name_is_in_no_encoding(tmp_path: Path) -> None:
    path = text(tmp_path / os.fsdecode(b"b\xff.csv"), "RIM", "500")
    layers, report = take(path)
    assert report.source["name"] == "b?.csv"
    assert ids(layers) == ["b?-2"]


def test_joined_columns_that_nobody_reads_are_not_said(tmp_path: Path) -> None:
    assert "columns_alike" not in codes(take(text(tmp_path / "b.csv", "CB_ID,a.note,b.note", "1,x,y"))[1])


def test_values_that_nobody_knows_are_listed_by_field(tmp_path: Path) -> None:
    _, report = take(text(tmp_path / "b.csv", "CB_ID,OWNER,RIM", "1,UK,500", "2,UK,12 ft", "3,Town,"))
    assert report.to_json()["values"] == {"unknown": {"owner": {"UK": 2}, "rim_ft": {"12 ft": 1}}}


def test_a_column_called_as_ours_within_does_no_harm(tmp_path: Path) -> None:
    path = geojson(
        tmp_path / "b.geojson", ({"CB_ID": "1", "geometry": "x", "z_drawn": "9", "__id": "y", "index": "z"}, POINT)
    )
    layers, report = take(path)
    assert list(layers["catch_basins"]["source_id"]) == ["1"]
    assert pd.isna(layers["catch_basins"]["z_drawn"]["1"])
    assert report.unmapped == ["geometry", "z_drawn", "__id", "index"]


def test_a_column_that_the_crosswalk_names_and_the_file_lacks(tmp_path: Path) -> None:
    path = basins(tmp_path / "b.gpkg")
    with pytest.raises(FieldError, match=r"b\.gpkg, layer b, has no field RIM; it has: CB_ID, fid"):
        take_by(path, {"target": [{"layer": "catch_basins", "fields": {"rim_ft": "RIM"}}]})


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    said = '<img src=x onerror=alert(1)> =cmd|"/c calc"!A1 \\..\\..\\x \'; DROP TABLE x; -- ${7*7}'
    path = geojson(tmp_path / "b.geojson", ({"CB_ID": said, "ROAD": said}, POINT))
    layers, _ = take(path)
    assert ids(layers) == [said]
    assert list(layers["catch_basins"]["road"]) == [said]


# -- one file, several layers

STRUCTURES: list[dict[str, Any]] = [
    {"layer": "catch_basins", "id": "ID", "where": {"TYPE": ["CB", "Inlet"]}},
    {"layer": "manholes", "id": "ID", "where": {"TYPE": "MH"}},
]


def structures(path: Path, *kinds: Any) -> Path:
    return write(
        path,
        frame([near(9 * at) for at in range(len(kinds))], ID=[str(at) for at in range(len(kinds))], TYPE=list(kinds)),
    )


def test_a_mixed_file_is_split_and_what_nobody_takes_is_said(tmp_path: Path) -> None:
    path = structures(tmp_path / "s.gpkg", "CB", "MH", "Inlet", "Drop Shaft", None)
    layers, reports = take_by(path, {"target": STRUCTURES})
    assert (ids(layers), ids(layers, "manholes")) == (["0", "2"], ["1"])
    assert [each.read for each in reports] == [2, 1]
    assert told(reports[0], "taken_by_none") == "2 of 5 features are taken by no target"
    assert "outfalls" not in layers


def test_a_feature_that_two_targets_take_is_said(tmp_path: Path) -> None:
    path = structures(tmp_path / "s.gpkg", "CB", "MH")
    _, reports = take_by(path, {"target": [*STRUCTURES, {"layer": "outfalls", "where": {"TYPE": "CB"}}]})
    assert told(reports[0], "taken_twice") == "1 features are taken by more than one target"


def test_a_target_that_takes_nothing_is_said(tmp_path: Path) -> None:
    _, reports = take_by(structures(tmp_path / "s.gpkg", "CB"), {"target": STRUCTURES})
    assert (reports[1].read, reports[1].kept) == (0, 0)
    assert told(reports[1], "nothing_selected") == "no feature has TYPE = 'MH'"


def test_two_targets_of_one_layer_do_not_miss_each_other(tmp_path: Path) -> None:
    path = structures(tmp_path / "s.gpkg", "CB", "Inlet")
    targets = [
        {"layer": "catch_basins", "id": "ID", "where": {"TYPE": kind}, "set": {"kind": kind}}
        for kind in ("CB", "Inlet")
    ]
    layers, _ = take_by(path, {"target": targets})
    layers, again = take_by(path, {"target": targets}, layers)
    assert list(layers["catch_basins"]["kind"]) == ["CB", "Inlet"]
    assert [each.to_json()["changes"] for each in again] == [{"added": 0, "changed": 0, "missing": 0}] * 2


def test_features_of_several_layers_say_which(tmp_path: Path) -> None:
    path = write(tmp_path / "t.gpkg", frame([near()], CB_ID=["1"]), layer="basins")
    write(path, frame([near()], MH_ID=["1"]), layer="manholes")
    layers, _ = take(path, source_layer="basins")
    assert list(layers["catch_basins"]["source"]) == ["t.gpkg/basins"]


# -- lots (FAULTS 26)

BOW_TIE = [(0.0, 0.0), (100.0, 100.0), (100.0, 0.0), (0.0, 100.0)]


@pytest.mark.parametrize(("acres", "said"), [(5000 / 43560, False), (0.23, True), (0.0, False)])
def test_a_mended_lot_is_held_against_the_roll(tmp_path: Path, acres: float, said: bool) -> None:
    path = write(tmp_path / "l.gpkg", frame([lot(*BOW_TIE)], SWIS_SBL_ID=["1"], ACRES=[acres]))
    layers, report = take(path, "parcels")
    assert layers["parcels"].geometry["1"].area == pytest.approx(5000)
    assert ("acreage" in codes(report)) is said


# -- another foot (FAULTS 3)


def offset_town(tmp_path: Path, factor: float, count: int = 25, *, jitter: float = 0.0) -> Any:
    """Pipes from basin to basin, and basins whose coordinates were multiplied by a factor."""
    places = [(200.0 * at, 300.0 * (at % 7)) for at in range(count)]
    pipes = [line(a, b) for a, b in pairwise(places)]
    layers, _ = take(write(tmp_path / "p.gpkg", frame(pipes, PIPE_ID=list(range(len(pipes))))), "pipes")
    off = [
        shapely.Point((X + dx) * factor + jitter * (at % 3 - 1), (Y + dy) * factor)
        for at, (dx, dy) in enumerate(places)
    ]
    return take(write(tmp_path / "b.gpkg", frame(off, CB_ID=list(range(count)))), layers=layers)[1]


def test_international_feet_among_survey_feet_are_one_warning_for_the_layer(tmp_path: Path) -> None:
    """739,289 ft * 2e-6 = 1.48 ft east, 910,705 ft * 2e-6 = 1.82 ft north."""
    said = told(offset_town(tmp_path, 0.3048 / (1200 / 3937)), "offset")
    assert "moved +1.48 ft east and +1.82 ft north, 100% of 25 alike" in said


def test_basins_where_the_pipes_end_are_not_off(tmp_path: Path) -> None:
    assert "offset" not in codes(offset_town(tmp_path, 1.0))


def test_scatter_is_no_offset(tmp_path: Path) -> None:
    assert "offset" not in codes(offset_town(tmp_path, 1.0, jitter=4.0))


def test_a_few_basins_prove_no_offset(tmp_path: Path) -> None:
    assert "offset" not in codes(offset_town(tmp_path, 0.3048 / (1200 / 3937), 19))


# -- other warnings


def test_lines_without_length_are_kept_and_said(tmp_path: Path) -> None:
    path = write(tmp_path / "p.gpkg", frame([line((0, 0), (0, 0)), line((0, 0), (0.11, 0))], PIPE_ID=["P1", "P2"]))
    layers, report = take(path, "pipes")
    assert ids(layers, "pipes") == ["P1", "P2"]
    assert told(report, "zero_length") == "1 lines have no length and convey nothing: P1"


def test_what_the_source_was_noted_for_is_in_every_report(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.gpkg", frame([near()] * 1000, ID=[str(at) for at in range(1000)], TYPE=["CB", "MH"] * 500)
    )
    _, reports = take_by(path, {"target": STRUCTURES})
    assert all("round_count" in codes(each) for each in reports)


# -- calls


def test_an_empty_layer_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "b.gpkg", frame([near()], CB_ID=["1"]).iloc[:0])
    assert "b.gpkg, layer b, is empty" in refused(path, "source_empty").text


@pytest.mark.parametrize("name", ["b.csv", "b.xlsx"])
def test_a_table_with_a_header_alone_is_refused(tmp_path: Path, name: str) -> None:
    path = workbook(tmp_path / name, ["CB_ID"]) if name.endswith("x") else text(tmp_path / name, "CB_ID")
    refused(path, "source_empty")


@pytest.mark.parametrize("name", ["b.csv", "b.xlsx"])
def test_a_table_without_anything_is_refused(tmp_path: Path, name: str) -> None:
    path = workbook(tmp_path / name) if name.endswith("x") else text(tmp_path / name, "")
    assert "holds no layer" in refused(path, "source_empty").text


def test_a_layer_that_does_not_exist() -> None:
    with pytest.raises(LayerError, match="there is no layer 'basins'; choose one of catch_basins,"):
        take(Path("b.csv"), "basins")


def test_neither_layer_nor_crosswalk() -> None:
    with pytest.raises(CallError, match="an import needs one layer or one crosswalk"):
        ingest(Request(Path("b.csv")), {}, settings())


def test_a_refused_import_leaves_the_layers_as_they_were(tmp_path: Path) -> None:
    layers, _ = take(basins(tmp_path / "b.gpkg"))
    before = layers["catch_basins"].copy()
    with pytest.raises(CRSError):
        take(relabelled(tmp_path / "c.gpkg", really=2260, said=2263), layers=layers)
    take(text(tmp_path / "d.csv", "CB_ID", "CB-9"), layers=layers)
    assert list(layers) == ["catch_basins"]
    assert layers["catch_basins"].equals(before)


# -- properties

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["CB-1", "CB-2", "", "007", "7", "CB-1#2"]),
        st.sampled_from(["CB", "MH", "Inlet", "", "Drop Shaft"]),
        st.sampled_from(["Town", "UK", "<Null>", ""]),
        st.sampled_from([near(), near(5000), near(900_000), None, shapely.Point(0, 0), line((0, 0), (9, 0)), lot(*BOW_TIE),
                         shapely.MultiPoint([near(), near(9)])]),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@given(first=ROWS, then=ROWS)
@hypothesis_settings(untimed, max_examples=60)
def test_every_row_that_is_read_is_kept_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, first: Any, then: Any
) -> None:
    folder, layers = tmp_path_factory.mktemp("dirty"), {}
    for name, rows in (("a.gpkg", first), ("b.gpkg", then), ("a.gpkg", then)):
        known = dict(zip(("ID", "TYPE", "OWNER", "shape"), zip(*rows, strict=True), strict=True))
        (folder / name).unlink(missing_ok=True)
        path = write(folder / name, frame(known.pop("shape"), **known))
        reports: list[Report] = []
        with suppress(CRSError):  # most of it may lie nowhere
            layers, reports = take_by(path, {"target": STRUCTURES}, layers)
        for report in reports:
            made = report.to_json()
            assert made["read"] == made["kept"] + sum(each["count"] for each in made["rejected"])
            wanted = {"catch_basins": {"CB", "Inlet"}, "manholes": {"MH"}}[report.layer]
            assert made["read"] == sum(row[1] in wanted for row in rows)
            assert made["unlocated"] <= made["kept"] + made["exploded"]["children"]
        for frames in layers.values():
            assert frames.index.is_unique
            assert frames.geometry.isna().sum() + frames.geometry.is_valid.sum() == len(frames)


def test_every_code_of_a_report_is_explained() -> None:
    for name, sentence in (REJECTED | REPAIRED | WARNINGS).items():
        assert name.islower()
        assert sentence.endswith(".")
