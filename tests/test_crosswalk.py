"""How a source's fields and values become ours: by a crosswalk, or by the names that towns use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layers.crosswalk import (
    Crosswalk,
    Target,
    columns_alike,
    crosswalk_by_aliases,
    fill_id,
    load_crosswalk,
    parse_crosswalk,
    to_text,
)
from layers.errors import FieldError
from tests.received import text, untimed


def parsed(*targets: dict[str, Any], source: dict[str, Any] | None = None) -> Crosswalk:
    return parse_crosswalk({"source": source or {}, "target": list(targets)}, name="basins.toml")


def faults(*targets: Any, **parts: Any) -> str:
    with pytest.raises(FieldError) as caught:
        parse_crosswalk({"target": list(targets), **parts}, name="basins.toml")
    assert caught.value.code == "field"
    assert caught.value.text.startswith("crosswalk basins.toml: ")
    return caught.value.text.removeprefix("crosswalk basins.toml: ")


BASINS: dict[str, Any] = {"layer": "catch_basins"}

# -- values as text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("007 ", "007"),
        ("2.10", "2.10"),
        ("12345.0", "12345.0"),
        (12345.0, "12345"),
        (np.float64(12345.0), "12345"),
        (np.int64(7), "7"),
        (12.5, "12.5"),
        (0.0, "0"),
        (-0.0, "0"),
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        ("a\0b", "ab"),
        (True, "True"),
    ],
)
def test_a_value_as_text(value: object, shown: str) -> None:
    assert to_text(value) == shown


@given(st.integers(min_value=-(10**18), max_value=10**18))
@untimed
def test_a_whole_number_is_shown_to_its_last_digit(value: int) -> None:
    assert to_text(value) == str(value)


@given(st.integers(min_value=-(2**49), max_value=2**49))
@untimed
def test_a_whole_number_that_became_a_float_is_shown_the_same(value: int) -> None:
    assert to_text(float(value)) == str(value)


@given(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"])))
@untimed
def test_text_is_shown_as_it_is_but_for_blanks_at_its_ends(value: str) -> None:
    assert to_text(value) == value.strip()


# -- ids


def test_the_part_of_an_id_that_is_empty_leaves_it_empty() -> None:
    assert fill_id("{SWIS}{SBL}", {"SWIS": "055089", "SBL": None}) == ""


def test_an_id_from_two_columns_keeps_every_zero() -> None:
    assert fill_id("{SWIS}{SBL}", {"SWIS": "055089", "SBL": "0020"}) == "0550890020"


def test_braces_in_a_value_are_no_template() -> None:
    assert fill_id("CB-{ID}", {"ID": "{SBL}", "SBL": "x"}) == "CB-{SBL}"


def test_an_id_stands_on_one_line() -> None:
    assert fill_id("ID", {"ID": " CB\n 7 "}) == "CB 7"


@given(st.from_regex(r"[0-9]{1,20}(\.[0-9]{1,3})?", fullmatch=True))
@untimed
def test_an_id_that_came_as_text_survives_to_the_last_digit(said: str) -> None:
    assert fill_id("ID", {"ID": said}) == said


# -- which rows


def rows(where: dict[str, Any], *values: Any) -> list[bool]:
    target = parsed({**BASINS, "where": where}).targets[0]
    return list(target.rows(pd.DataFrame({"TYPE": list(values), "N": range(len(values))})))


def test_rows_are_chosen_by_text() -> None:
    assert rows({"TYPE": ["Inlet", "Catchbasin"]}, "Inlet", "Manhole", "Catchbasin", "inlet") == [
        True,
        False,
        True,
        False,
    ]


def test_a_missing_value_matches_the_empty_text() -> None:
    assert rows({"TYPE": ["", "Inlet"]}, None, "Inlet", "", float("nan"), "x") == [True, True, True, True, False]


def test_a_number_is_matched_as_its_text() -> None:
    assert rows({"TYPE": [1, 2.0]}, 1.0, 2, 3, "1") == [True, True, False, True]


def test_one_value_needs_no_list() -> None:
    assert rows({"TYPE": "Inlet"}, "Inlet", "x") == [True, False]


def test_all_conditions_must_hold() -> None:
    assert rows({"TYPE": "Inlet", "N": 1}, "Inlet", "Inlet") == [False, True]


def test_without_conditions_every_row_is_taken() -> None:
    assert rows({}, "a", None) == [True, True]


# -- the file


def test_a_crosswalk_as_in_the_design(tmp_path: Path) -> None:
    path = text(
        tmp_path / "basins.toml",
        '[source]\nlayer = "STM_Structure_pt"\ncrs = "EPSG:2289"\ncrs_by = "J. Doe"',
        '[[target]]\nlayer = "catch_basins"\nwhere = { StructureType = ["Catchbasin", "Inlet"] }',
        'id = "CB-{OBJECTID}"\nfields = { owner = "Owner", rim_ft = "RIM" }',
        'values.owner = { "UK" = "Town", "*" = "unknown" }\nset = { system = "storm" }',
    )
    made = load_crosswalk(path)
    target = made.targets[0]
    assert (made.layer, made.crs, made.crs_by) == ("STM_Structure_pt", "EPSG:2289", "J. Doe")
    assert target.where == {"StructureType": ("Catchbasin", "Inlet")}
    assert target.columns == {"StructureType", "OBJECTID", "Owner", "RIM"}
    assert target.values == {"owner": {"UK": "Town", "*": "unknown"}}
    assert target.constants == {"system": "storm"}


def test_a_crosswalk_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match=r"there is no crosswalk .*lost\.toml"):
        load_crosswalk(tmp_path / "lost.toml")


@pytest.mark.parametrize("content", ["[source", "[source]\nlayer = x", "\udc81"])
def test_a_crosswalk_that_is_no_toml(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.toml").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(FieldError, match=r"crosswalk bad\.toml cannot be read: .*; mend the file"):
        load_crosswalk(tmp_path / "bad.toml")


def test_every_fault_is_told_at_once() -> None:
    told = faults(
        {"layer": "catch_basins", "feilds": {}, "fields": {"rim": "RIM"}, "set": {"owner": "Village"}},
        {"layer": "basins"},
        source={"crs": "EPSG:2260", "csr": "x"},
        targets=[],
    )
    assert told.split("; ") == [
        "unknown part [targets]",
        "[source] knows no 'csr'",
        "[source] says crs but not crs_by, the person who vouches for it",
        "[[target]] 1: unknown key 'feilds'",
        "[[target]] 1: fields: layer catch_basins has no field 'rim'",
        "[[target]] 1: set.owner: 'Village' is not one of Town, County, State, NYCDEP, Federal, Other MS4, Private, unknown",
        "[[target]] 2: there is no layer 'basins', choose one of catch_basins, manholes, outfalls, pipes, ditches, culverts, "
        "drains, parcels, waters, watersheds, roads, facilities, boundary, sewersheds",
    ]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ({**BASINS, "id": 7}, "id must be text"),
        ({**BASINS, "fields": "OWNER"}, "fields must be a table"),
        ({**BASINS, "fields": {"owner": 7}}, "fields.owner is of a wrong form"),
        ({**BASINS, "where": {"TYPE": {"a": "b"}}}, "where.TYPE is of a wrong form"),
        ({**BASINS, "where": {"TYPE": [["a"]]}}, "where.TYPE must list texts"),
        ({**BASINS, "values": {"owner": "Town"}}, "values.owner is of a wrong form"),
        ({**BASINS, "values": {"owner": {"UK": 1}}}, "values.owner must map texts to texts"),
        ({**BASINS, "values": {"owner": {"UK": "Village"}}}, "values.owner: 'Village' is not one of Town,"),
        ({**BASINS, "values": {"owner": {"*": "Village"}}}, "values.owner: 'Village' is not one of Town,"),
        ({**BASINS, "set": {"owner": ["Town"]}}, "set.owner is of a wrong form"),
        ({**BASINS, "set": {"source": "x"}}, "set: source is filled by the import itself"),
        ({**BASINS, "fields": {"owner": "O"}, "set": {"owner": "Town"}}, "owner stands in fields and in set"),
        ({"layer": ["catch_basins"]}, "there is no layer ['catch_basins']"),
    ],
)
def test_a_fault_of_a_target(target: dict[str, Any], told: str) -> None:
    assert faults(target).startswith(f"[[target]] 1: {told}")


@pytest.mark.parametrize("target", [[], ["catch_basins"], "catch_basins", {"layer": "catch_basins"}])
def test_a_crosswalk_without_targets(target: Any) -> None:
    with pytest.raises(FieldError, match=r"there is no \[\[target\]\]"):
        parse_crosswalk({"target": target}, name="basins.toml")


def test_a_source_that_is_no_table() -> None:
    assert faults(BASINS, source="basins") == "[source] is no table"


def test_a_source_with_x_alone() -> None:
    assert faults(BASINS, source={"x": "LON"}) == "[source] needs both x and y"


def test_a_source_whose_layer_is_a_number() -> None:
    assert faults(BASINS, source={"layer": 3}) == "[source] layer must be text"


def test_columns_that_the_file_does_not_have_are_told_at_once() -> None:
    made = parsed({**BASINS, "id": "{A}-{B}", "fields": {"owner": "OWN"}, "where": {"TYPE": "x"}})
    with pytest.raises(FieldError, match=r"basins\.shp has no field A, OWN; it has: B, TYPE"):
        made.check(["B", "TYPE"], where="basins.shp")


# -- by aliases


def by_aliases(layer: str, *columns: str) -> Target:
    return crosswalk_by_aliases(layer, columns).targets[0]


def test_our_own_names_need_no_crosswalk() -> None:
    target = by_aliases("catch_basins", "asset_id", "rim_ft", "owner", "note")
    assert target.id == "asset_id"
    assert target.fields == {"rim_ft": "rim_ft", "owner": "owner"}


def test_letter_case_is_no_matter() -> None:
    assert by_aliases("catch_basins", "Asset_ID", "RIM_FT").fields == {"rim_ft": "RIM_FT"}


def test_a_joined_table_writes_its_name_in_front() -> None:
    target = by_aliases("catch_basins", "GISADMIN.swInlet.FACILITYID", "GISADMIN.swInlet.RIM")
    assert target.id == "GISADMIN.swInlet.FACILITYID"
    assert target.fields == {"rim_ft": "GISADMIN.swInlet.RIM"}


def test_of_two_columns_with_one_name_the_first_is_read() -> None:
    assert by_aliases("catch_basins", "Owner", "OWNER").fields == {"owner": "Owner"}
    assert columns_alike(["Owner", "ID", "OWNER"]) == [("Owner", "OWNER")]


def test_a_name_cut_to_ten_letters_is_known() -> None:
    assert by_aliases("parcels", "SWIS_SBL_I", "PROP_CLASS", "roll_secti").id == "SWIS_SBL_I"
    assert by_aliases("catch_basins", "xy_accurac").fields == {"xy_accuracy_ft": "xy_accurac"}


def test_a_name_cut_so_that_two_fields_can_be_meant_is_not_guessed() -> None:
    assert "submerged_" not in by_aliases("outfalls", "submerged_", "SUB_WATER").fields.values()
    assert by_aliases("catch_basins", "connection").fields == {}


def test_a_lot_is_known_by_swis_and_sbl() -> None:
    assert by_aliases("parcels", "SWIS", "SBL").id == "{SWIS}{SBL}"


def test_a_field_that_the_import_fills_is_never_mapped() -> None:
    assert "source" not in by_aliases("catch_basins", "SOURCE", "source_id").fields


def test_a_column_with_braces_in_its_name_is_no_crash() -> None:
    target = by_aliases("catch_basins", "{x}.OBJECTID")
    with pytest.raises(FieldError, match="has no field x"):
        Crosswalk((target,)).check(["{x}.OBJECTID"], where="t.csv")
