"""The sample town: its files are what its script makes, hold what its README lists, and the product finds each of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import geopandas as gpd
import openpyxl
import pandas as pd
import pytest
import shapely
from shapely import Point

from layers.joins.premises import premises_of_lots
from layers.town import Town
from layers.trace import trace
from mapping.cases.case import Case
from mapping.pipeline import SAMPLE, Picture, list_imports

FILES = SAMPLE / "files"
MADE_WITH_GEOS = (3, 14)
"""Another GEOS may round a corner of a lot differently."""
PLANTED = {each["code"]: each for each in tomllib.loads((SAMPLE / "planted.toml").read_text("utf-8"))["planted"]}
Item = Mapping[str, str]


def cases(of: str) -> pytest.MarkDecorator:
    """Every planted item that has a value for `of`."""
    items = [each for each in PLANTED.values() if of in each]
    return pytest.mark.parametrize("item", items, ids=[each["code"] for each in items])


# -- the files


@pytest.fixture(scope="module")
def structures() -> gpd.GeoDataFrame:
    return gpd.read_file(FILES / "stormwater.gpkg", layer="STM_Structure")


@pytest.fixture(scope="module")
def lines() -> gpd.GeoDataFrame:
    return gpd.read_file(FILES / "stormwater.gpkg", layer="STM_Line")


@pytest.fixture(scope="module")
def parcels() -> gpd.GeoDataFrame:
    return gpd.read_file(f"zip://{FILES / 'parcels.zip'}")


@pytest.fixture(scope="module")
def outfalls() -> pd.DataFrame:
    return pd.read_csv(FILES / "outfalls.csv", dtype="str", keep_default_na=False)


@pytest.fixture(scope="module")
def drains() -> list[dict[str, Any]]:
    header, *rows = openpyxl.load_workbook(FILES / "drain_records.xlsx")["Drains"].iter_rows(values_only=True)
    return [dict(zip(map(str, header), row, strict=True)) for row in rows]


def test_the_script_makes_the_files_again(tmp_path: Path) -> None:
    if shapely.geos_version[:2] != MADE_WITH_GEOS:
        pytest.skip(f"the files were made with GEOS {MADE_WITH_GEOS}, here is {shapely.geos_version}")
    subprocess.run([sys.executable, str(SAMPLE / "make_sample.py"), str(tmp_path)], check=True)
    for name in ("events.json", "planted.toml", "files/outfalls.csv", "files/facilities.csv"):
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), name
    for name, layer in (
        ("parcels.zip", None), ("roads.zip", None), ("waters.geojson", None), ("watersheds.geojson", None),
        ("boundary.geojson", None), ("stormwater.gpkg", "STM_Structure"), ("stormwater.gpkg", "STM_Line"),
    ):  # fmt: skip
        made, shipped = (gpd.read_file(folder / name, layer=layer) for folder in (tmp_path / "files", FILES))
        shapes = zip(made.geometry, shipped.geometry, strict=True)
        assert all(one == other or one.equals_exact(other, 0.01) for one, other in shapes), name
        pd.testing.assert_frame_equal(made.drop(columns="geometry"), shipped.drop(columns="geometry"))
    sheets = [openpyxl.load_workbook(at / "drain_records.xlsx")["Drains"] for at in (tmp_path / "files", FILES)]
    assert list(sheets[0].values) == list(sheets[1].values)


def test_the_readme_lists_what_is_planted() -> None:
    text = (SAMPLE / "README.md").read_text("utf-8")
    for code, item in PLANTED.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {code} "))
        assert f":{item['id']}`" in row
        assert item["what"].replace("<", "&lt;") in row
        assert item["says"] in row
        assert all(f"`{rule}`" in row for rule in item.get("finding", "").split())
    assert "**synthetic**" in text
    assert sum(line.startswith(("| F", "| S", "| C")) for line in text.splitlines()) == len(PLANTED)


def test_the_files_are_small_and_each_is_in_its_own_system(
    structures: gpd.GeoDataFrame, lines: gpd.GeoDataFrame, parcels: gpd.GeoDataFrame
) -> None:
    assert sum(each.stat().st_size for each in FILES.iterdir()) < 1_000_000
    assert [frame.crs.to_epsg() for frame in (structures, lines, parcels)] == [2260, 2260, 26918]
    assert max(len(name) for name in parcels.columns.drop("geometry")) == 10
    assert {"PARCEL_ADD", "CITYTOWN_N", "PRIMARY_OW", "SWIS_SBL_I", "USED_AS_DE"} <= set(parcels.columns)
    assert b'"crs"' not in (FILES / "waters.geojson").read_bytes()


def test_the_town_has_the_size_that_it_is_to_have(
    structures: gpd.GeoDataFrame, lines: gpd.GeoDataFrame, parcels: gpd.GeoDataFrame, outfalls: pd.DataFrame
) -> None:
    kinds = Counter(lines["LINE_TYPE"])
    assert 600 <= len(parcels) <= 1200
    assert 250 <= (structures["STRUCT_TYPE"] == "Catch Basin").sum() <= 500
    assert 40 <= len(outfalls) <= 90
    assert kinds["Ditch"] + kinds["Swale"] > kinds["Pipe"]


def test_nobody_can_take_the_owners_for_real_ones(parcels: gpd.GeoDataFrame) -> None:
    invented = "Placeholder|Exampl|Sample|Testerfield|Invented|Imaginary|Fictional|Madeup|sample"
    assert parcels["PRIMARY_OW"].str.contains(invented).all()
    assert set(parcels["MAIL_ZIP"]) == {"00000"}
    assert set(parcels["SWIS"]) == {"559900"}


def test_waters_are_one_reservoir_one_listed_lake_and_unlisted_brooks() -> None:
    waters = gpd.read_file(FILES / "waters.geojson").set_index("NAME")
    assert waters.loc["Tamarack Reservoir", ["IR_CAT", "LISTED_303D", "TMDL"]].tolist() == ["4A", "N", "Y"]
    assert str(waters.at["Tamarack Reservoir", "TMDL_APPR"])[:10] == "2000-06-30"
    assert waters.loc["Heron Lake", ["IR_CAT", "LISTED_303D", "TMDL"]].tolist() == ["5", "Y", "N"]
    brooks = waters[waters.geom_type == "LineString"]
    assert len(brooks) == 10
    assert not (brooks["LISTED_303D"] == "Y").any()
    assert set(waters["TO_SEGMENT"].replace("", None).dropna()) <= set(waters["PWL_ID"])


@cases("id")
def test_what_is_planted_lies_in_its_file(
    item: Item,
    structures: gpd.GeoDataFrame,
    lines: gpd.GeoDataFrame,
    parcels: gpd.GeoDataFrame,
    outfalls: pd.DataFrame,
    drains: list[dict[str, Any]],
) -> None:
    events = json.loads((SAMPLE / "events.json").read_text("utf-8"))
    ids = {
        "stormwater.gpkg": {*structures["FACILITYID"], *lines["FACILITYID"]},
        "outfalls.csv": set(outfalls["OUTFALL_ID"]),
        "parcels.zip": set(parcels["SWIS_SBL_I"]),
        "drain_records.xlsx": {row["DRAIN_ID"] for row in drains},
        "events.json": {each["data"].get("location", "") for each in events},
    }
    assert item["id"].partition("#")[0] in ids[item["file"]]


# -- each fault, in the raw file


def row(frame: pd.DataFrame, code: str, field: str = "FACILITYID") -> Any:
    return frame[frame[field] == PLANTED[code]["id"]].iloc[0]


def test_a_basin_lies_three_feet_off_its_ditch(structures: gpd.GeoDataFrame, lines: gpd.GeoDataFrame) -> None:
    basin = row(structures, "F01")
    ends = [Point(xy) for line in lines.geometry.force_2d() if line.geom_type == "LineString" for xy in line.coords]
    assert min(end.distance(basin.geometry) for end in ends) == pytest.approx(3.0, abs=0.02)
    assert basin["FACILITYID"] not in {*lines["FROM_ID"], *lines["TO_ID"]}


def test_two_ditches_miss_each_other_by_a_third_of_a_foot(lines: gpd.GeoDataFrame) -> None:
    ditch = row(lines, "F02")
    others = lines[(lines["FACILITYID"] != ditch["FACILITYID"]) & (lines["LINE_TYPE"] != "Pipe")]
    assert others.distance(Point(ditch.geometry.coords[-1])).min() == pytest.approx(0.3, abs=0.02)


def test_a_pipe_is_drawn_against_its_ids(structures: gpd.GeoDataFrame, lines: gpd.GeoDataFrame) -> None:
    pipe, at = row(lines, "F03"), structures.set_index("FACILITYID").geometry
    assert Point(pipe.geometry.coords[0]).distance(at[pipe["TO_ID"]]) < 0.1
    assert Point(pipe.geometry.coords[-1]).distance(at[pipe["FROM_ID"]]) < 0.1


def test_a_pipe_without_ids_is_drawn_uphill(lines: gpd.GeoDataFrame) -> None:
    pipe = row(lines, "F04")
    assert (pipe["FROM_ID"], pipe["TO_ID"]) == ("", "")
    assert pipe["INV_UP"] < pipe["INV_DN"]


def test_a_pipe_ends_on_the_middle_of_another(structures: gpd.GeoDataFrame, lines: gpd.GeoDataFrame) -> None:
    side = row(lines, "F05")
    end = Point(side.geometry.coords[-1])
    mains = lines[(lines.distance(end) < 0.01) & (lines["FACILITYID"] != side["FACILITYID"])]
    assert len(mains) == 1
    assert mains.boundary.distance(end).min() > 10
    assert structures.distance(end).min() > 10


def test_a_pipe_leads_back_to_where_its_water_came_from(lines: gpd.GeoDataFrame) -> None:
    back, leads = row(lines, "F06"), dict(zip(lines["FROM_ID"], lines["TO_ID"], strict=True))
    one = lines[lines["FROM_ID"] == back["TO_ID"]]["TO_ID"]
    assert any(leads.get(each) == back["FROM_ID"] for each in one)


def test_a_basin_drains_two_ways(lines: gpd.GeoDataFrame) -> None:
    assert set(lines[lines["FROM_ID"] == PLANTED["F07"]["id"]]["TO_ID"]) == set(PLANTED["F07"]["case"].split())


def test_a_ditch_is_drawn_twice_and_a_line_has_no_length(lines: gpd.GeoDataFrame) -> None:
    assert (lines.geometry == row(lines, "F11").geometry).sum() == 2
    assert row(lines, "F12").geometry.length == 0
    assert row(lines, "F13").geometry.geom_type == "MultiLineString"
    assert row(lines, "F14")["STATUS"] == "Abandoned"
    assert row(lines, "F15")["SYSTEM"] == "SAN"


def test_words_and_ids_are_as_bad_as_listed(structures: gpd.GeoDataFrame, lines: gpd.GeoDataFrame) -> None:
    assert row(lines, "F17")["OWNEDBY"] == "<Null>"
    assert row(structures, "F18")["OWNEDBY"] == "UK"
    assert row(structures, "F30").geometry is None
    assert row(structures, "F31").geometry == Point(0, 0)
    assert (structures["FACILITYID"] == PLANTED["F32"]["id"].partition("#")[0]).sum() == 2
    assert row(structures, "F33")["STRUCT_TYPE"] == "Drop Shaft"
    assert "<see plan 7\\3>" in row(structures, "F34")["LOCDESC"]
    assert len(PLANTED["F44"]["id"]) == 10
    assert PLANTED["F44"]["id"].startswith("00")


def test_outfalls_are_as_bad_as_listed(outfalls: pd.DataFrame) -> None:
    at = outfalls.set_index("OUTFALL_ID")
    assert at.loc[PLANTED["F20"]["id"], ["LATITUDE", "LONGITUDE"]].tolist() == ["", ""]
    assert at.at[PLANTED["F23"]["id"], "TYPE"] == "Culvert Outlet"
    assert at.at[PLANTED["F24"]["id"], "TYPE"] == "Intraconnection"
    assert at.at[PLANTED["F25"]["id"], "OWNER"] == "NYSDOT"
    assert at.at[PLANTED["F26"]["id"], "TYPE"] == "Interconnection"
    waters = gpd.read_file(FILES / "waters.geojson").to_crs(2260)
    places = gpd.GeoSeries.from_xy(*(pd.to_numeric(at[name]) for name in ("LONGITUDE", "LATITUDE")), crs=4326)
    feet = places.to_crs(2260)
    assert waters.distance(feet[PLANTED["F21"]["id"]]).min() > 300
    near = waters.set_index("NAME").distance(feet[PLANTED["F22"]["id"]])
    assert abs(near["Heron Lake"] - near["Alder Brook"]) < 50
    assert near[["Heron Lake", "Alder Brook"]].max() < 300


def test_lots_are_as_bad_as_listed(parcels: gpd.GeoDataFrame) -> None:
    bow = row(parcels, "F40", "SWIS_SBL_I")
    assert not bow.geometry.is_valid
    assert (~parcels.is_valid).sum() == 1
    assert (parcels["PRINT_KEY"] == "2.10").sum() == (parcels["PRINT_KEY"] == "2.1").sum() == 1
    stack = parcels[parcels["DUP_GEO"] == "Y"]
    assert len(stack) == 12
    assert len(set(stack.geometry.to_wkb())) == 1
    assert parcels["SWIS_SBL_I"].is_unique
    assert set(parcels["SBL"].str.len()) == {20}


# -- what the product says


@cases("finding")
def test_the_rule_finds_what_is_planted_and_spares_the_controls(item: Item, picture: Picture) -> None:
    found = {(each.rule, *each.subject) for each in picture.report.findings}
    for rule in item["finding"].split():
        assert rule in picture.report.looked_at
        assert ((rule, item["layer"], item["id"]) in found) == (item["kind"] != "control"), f"{rule} on {item['id']}"


def test_nothing_is_suspected_that_is_not_listed(picture: Picture) -> None:
    rules = ("ILL-01", "DRN-01", "DRN-02", "NET-01")
    listed = {
        (rule, each["id"])
        for each in PLANTED.values()
        if each["kind"] != "control"
        for rule in each.get("finding", "").split()
    }
    found = {(each.rule, each.subject[1]) for each in picture.report.findings if each.rule in rules}
    assert found == {each for each in listed if each[0] in rules}


@cases("report")
def test_the_import_report_names_it(item: Item, sample: Path) -> None:
    """By the id that the file gives, or in the text of a warning."""
    given = item["id"].partition("#")[0]
    named: list[str] = []
    for report in (each for each in list_imports(sample) if each["layer"] == item["layer"]):
        if item["report"] == "exploded":
            named += [given] if report["exploded"]["parents"] else []
        named += [key for row in report["repaired"] if row["code"] == item["report"] for key in row["ids"]]
        named += [row["text"] for row in report["warnings"] if row["code"] == item["report"]]
    assert any(given in each for each in named)


def test_a_ditch_in_two_parts_is_two_ditches(picture: Picture) -> None:
    ditches = picture.town.layer("ditches")
    assert {f"{PLANTED['F13']['id']}.{part}" for part in (1, 2)} <= set(ditches.index)
    assert PLANTED["F13"]["id"] not in ditches.index


def edges(town: Town, item: Item) -> pd.DataFrame:
    """The network's pieces of a line."""
    return town.network.edges.loc[town.network.edges_of(item["layer"], item["id"])]


def join_doubtful(town: Town, item: Item) -> bool:
    [node] = town.network.nodes_of(item["layer"], item["id"])
    met = town.network.edges[(town.network.edges["tail"] == node) | (town.network.edges["head"] == node)]
    return bool((met["certainty"] == "doubtful").any()) and met["gap_ft"].max() == pytest.approx(3.0, abs=0.05)


def runs_on_basis(town: Town, item: Item) -> bool:
    return set(edges(town, item)["basis"]) == {item["case"]}


def touches(town: Town, item: Item) -> bool:
    [piece] = town.network.edges_of(item["layer"], item["id"])
    node = town.network.edges.at[piece, "head"]
    through = town.network.edges[(town.network.edges["head"] == node) | (town.network.edges["tail"] == node)]
    return town.network.nodes.at[node, "note"] == "no structure recorded" and through["part"].max() >= 1


def drains_to_both(town: Town, item: Item) -> bool:
    return set(trace(town, f"{item['layer']}:{item['id']}", direction="down").outfalls) == set(item["case"].split())


def visits_each_once(town: Town, item: Item) -> bool:
    found = trace(town, f"{item['layer']}:{item['id']}", direction="down").assets
    return len(found) == len({(each.layer, each.id) for each in found}) and len(found) > 3


def runs_beside_its_twin(town: Town, item: Item) -> bool:
    pair = [edges(town, {"layer": item["layer"], "id": each}) for each in (item["id"], item["case"])]
    return bool((pair[0][["tail", "head"]].to_numpy() == pair[1][["tail", "head"]].to_numpy()).all())


def reaches_an_outfall(town: Town, item: Item) -> bool:
    return bool(trace(town, f"{item['layer']}:{item['id']}", direction="down").outfalls)


def alone(town: Town, item: Item) -> bool:
    [node] = town.network.nodes_of(item["layer"], item["id"])
    return not (town.network.edges[["tail", "head"]] == node).any(axis=None)


def waters_of(town: Town, item: Item) -> pd.DataFrame:
    links = town.water_links[town.water_links["outfall_id"] == item["id"]]
    return links[links["chosen"]]


def field(town: Town, item: Item, name: str) -> Any:
    return town.layer(item["layer"]).at[item["id"], name]


SAYS: Mapping[str, Callable[[Town, Item], bool]] = {
    "join_doubtful": join_doubtful,
    "snapped": lambda town, item: (
        edges(town, item)["gap_ft"].between(0.1, 0.5).all() and reaches_an_outfall(town, item)
    ),
    "recorded": runs_on_basis,
    "inverts": runs_on_basis,
    "touch": touches,
    "loop": visits_each_once,
    "alone": alone,
    "carries_no": lambda town, item: not edges(town, item)["carries"].any(),
    "sanitary": lambda town, item: set(edges(town, item)["system"]) == {"sanitary"},
    "unknown_id": reaches_an_outfall,
    "owner_unknown": lambda town, item: field(town, item, "owner") == "unknown",
    "unlocated": lambda town, item: field(town, item, "geometry") is None,
    "no_water": lambda town, item: waters_of(town, item).empty,
    "ambiguous": lambda town, item: len(waters_of(town, item)) == 2 and bool(waters_of(town, item)["ambiguous"].all()),
    "kind_unknown": lambda town, item: field(town, item, "kind") == "unknown",
    "intraconnection": lambda town, item: bool(
        field(town, item, "kind") == "intraconnection" and field(town, item, "facility_id")
    ),
    "interconnection": lambda town, item: bool(
        field(town, item, "kind") == "interconnection" and field(town, item, "recv_ms4")
    ),
    "state_owned": lambda town, item: field(town, item, "owner") == "State",
    "not_taken": lambda town, item: not any(item["id"] in frame.index for frame in town.layers.values()),
    "text": lambda town, item: "<see plan 7\\3>" in field(town, item, "road"),
    "print_key": lambda town, item: field(town, item, "print_key") == "2.10",
    "stack": lambda town, item: (premises_of_lots(town.layer("parcels")) == item["id"]).sum() == 12,
    "text_key": lambda town, item: item["id"] in town.layer(item["layer"]).index,
}


@cases("case")
def test_the_product_reads_it_as_the_readme_says(item: Item, picture: Picture) -> None:
    if item["code"] == "F07":
        assert drains_to_both(picture.town, item)
    elif item["code"] == "F11":
        assert runs_beside_its_twin(picture.town, item)
    else:
        assert SAYS[item["case"]](picture.town, item)


def test_a_state_outfall_gets_no_flag_of_the_towns(picture: Picture) -> None:
    about = [each for each in picture.report.findings if each.subject == ("outfalls", PLANTED["F25"]["id"])]
    assert not [each for each in about if each.rule.startswith("WAT")]


def test_the_cases_stand_as_the_readme_says(picture: Picture) -> None:
    found: dict[str, Case] = {each.id: each for each in picture.cases}
    states = {number: {each.code: each.state for each in case.deadlines} for number, case in found.items()}
    assert found["2026-001"].state == "corrected"
    assert states["2026-002"]["brief_response"] == "overdue"
    assert states["2026-003"]["brief_response"] == "open"
    due = next(each.due for each in found["2026-003"].deadlines if each.code == "brief_response")
    assert due == picture.on
    assert found["2026-004"].state == "opened"


def test_the_depot_lies_on_the_highway_garages_lot(picture: Picture) -> None:
    depot = gpd.GeoSeries([Point(picture.town.settings.options["depot"])], crs=4326).to_crs(picture.town.crs)[0]
    lot = picture.town.layer("parcels").query("property_class == '651'").geometry.iloc[0]
    assert lot.contains(depot)


def test_the_roads_hang_together_at_their_ends() -> None:
    roads = gpd.read_file(f"zip://{FILES / 'roads.zip'}")
    group: dict[tuple[float, float], int] = {}
    for line in roads.geometry:
        ends = [(round(x, 2), round(y, 2)) for x, y in (line.coords[0], line.coords[-1])]
        merged = {group[end] for end in ends if end in group}
        group |= dict.fromkeys(ends, len(group))
        group |= {end: group[ends[0]] for end, label in group.items() if label in merged}
    assert len(set(group.values())) == 1
    assert set(roads.loc[roads["PRIVATE"] == "Y", "NAME"]) == {"Far Pastures Lane"}
