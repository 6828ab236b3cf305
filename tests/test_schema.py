"""The schemas of the layers: sound, with units, and with names that no two fields fight over."""

from __future__ import annotations

import tomllib
from collections import Counter

import pandas as pd
import pytest

from layers.conform import conform
from layers.crosswalk import SET_BY_IMPORT, Target, crosswalk_by_aliases
from layers.errors import LayerError
from layers.schema import FOLDER, LAYERS, TYPES, dtype, schema

ASSETS = ("catch_basins", "manholes", "outfalls", "pipes", "ditches", "culverts", "drains")
UNITS = {"", "ft", "in", "acre", "mph", "as in the source"}
PERSONAL = {"owner_name", "mail_to", "mail_address", "mail_city", "mail_state", "mail_zip"}


def test_a_layer_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(
        LayerError, match=r"there is no layer 'basins'; choose one of catch_basins, .*, sewersheds"
    ) as caught:
        schema("basins")
    assert caught.value.code == "layer"


@pytest.mark.parametrize("name", ["../town", "catch_basins.toml", ""])
def test_a_layer_name_is_no_path(name: str) -> None:
    with pytest.raises(LayerError):
        schema(name)


def test_every_layer_has_its_file_and_every_file_its_layer() -> None:
    assert {each.stem for each in FOLDER.glob("*.toml")} == {*LAYERS, "_common"}


@pytest.mark.parametrize("name", LAYERS)
def test_a_schema_is_sound(name: str) -> None:
    known = schema(name)
    assert known.layer == name
    assert known.title
    assert known.one
    assert known.id == {"waters": "segment_id", "parcels": "premises_key"}.get(name, known.id)
    assert set(known.geometry) <= {"Point", "LineString", "MultiLineString", "MultiPolygon"}
    assert known.asset is (name in ASSETS)
    assert len(set(known.names)) == len(known.names)
    assert {"owner", "status", "source", "source_id", "surveyed_on", "xy_accuracy_ft"} <= set(known.names)


@pytest.mark.parametrize("name", LAYERS)
def test_a_field_is_sound(name: str) -> None:
    for each in schema(name).fields:
        assert each.type in TYPES
        assert each.title, each.name
        assert each.unit in UNITS, each.name
        for ending in ("ft", "in"):
            assert (each.unit == ending) is each.name.endswith(f"_{ending}") or each.type != "number", each.name
        assert set(each.synonyms.values()) <= {*each.codes, ""} or not each.codes, each.name
        assert each.type in ("text",) or not each.codes, each.name
        assert each.name not in SET_BY_IMPORT or not each.aliases


@pytest.mark.parametrize("name", LAYERS)
def test_no_two_fields_have_an_alias_in_common(name: str) -> None:
    known = schema(name)
    spelt = Counter(
        alias for each in known.fields for alias in {spelling.casefold() for spelling in (each.name, *each.aliases)}
    )
    assert [alias for alias, count in spelt.items() if count > 1] == []


@pytest.mark.parametrize("name", LAYERS)
def test_a_file_with_our_own_names_needs_no_crosswalk(name: str) -> None:
    known = schema(name)
    target = crosswalk_by_aliases(name, [known.id, *known.names]).targets[0]
    assert target.id == known.id
    assert target.fields == {each: each for each in known.names if each not in SET_BY_IMPORT}


@pytest.mark.parametrize("name", LAYERS)
def test_every_code_and_synonym_is_read_as_what_it_says(name: str) -> None:
    for each in schema(name).fields:
        for said, meant in {**{code: code for code in each.codes}, **each.synonyms}.items():
            for spelling in (said, said.upper()):
                unknown: Counter[str] = Counter()
                found = conform(pd.Series([spelling]), each, Target(name), unknown)
                assert not unknown, (each.name, spelling)
                assert not each.codes or found[0] == (meant or "unknown"), (each.name, spelling)


def test_personal_data_is_for_staff_only() -> None:
    assert schema("parcels").staff_only == PERSONAL
    assert all(schema(name).staff_only == frozenset() for name in LAYERS if name != "parcels")


def test_a_layer_names_its_own_field_before_a_common_one() -> None:
    assert list(schema("pipes").names).count("owner") == 1
    assert schema("pipes").field("owner").codes[0] == "Town"


def test_a_field_that_does_not_exist() -> None:
    with pytest.raises(LayerError, match="layer pipes has no field 'colour'; its fields are from_id, "):
        schema("pipes").field("colour")


@pytest.mark.parametrize("name", LAYERS)
def test_an_empty_layer_has_every_column_in_its_type(name: str) -> None:
    known = schema(name)
    empty = known.empty(2260)
    assert list(empty.columns) == [*known.names, "geometry"]
    assert empty.index.name == known.id
    assert empty.crs.to_epsg() == 2260
    assert all(empty[each.name].dtype == dtype(each.type) for each in known.fields)


def test_schemas_say_nothing_that_nobody_reads() -> None:
    for name in LAYERS:
        raw = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        assert set(raw) <= {"layer", "title", "one", "id", "id_aliases", "geometry", "asset", "field"}


@pytest.mark.parametrize(
    ("layer", "columns", "expected"),
    [
        ("parcels", ["SWIS_SBL_I", "PARCEL_ADD", "PROP_CLASS", "PRIMARY_OW", "CALC_ACRES"],
         {"address": "PARCEL_ADD", "property_class": "PROP_CLASS", "owner_name": "PRIMARY_OW", "acres": "CALC_ACRES"}),
        ("waters", ["assessmentunitidentifier", "assessmentunitname", "ircategory", "on303dlist", "hastmdl"],
         {"name": "assessmentunitname", "ir_category": "ircategory", "listed_303d": "on303dlist", "tmdl": "hastmdl"}),
        ("facilities", ["SourceID", "CWPName", "CWPPermitStatusDesc"],
         {"name": "CWPName", "permit_id": "SourceID", "permit_status": "CWPPermitStatusDesc"}),
        ("outfalls", ["FACILITYID", "DISCHRGTYP", "DIAMETER", "OWN", "SERVSTAT"],
         {"kind": "DISCHRGTYP", "diameter_in": "DIAMETER", "owner": "OWN", "status": "SERVSTAT"}),
    ],
)  # fmt: skip
def test_names_seen_in_towns_files_are_known(layer: str, columns: list[str], expected: dict[str, str]) -> None:
    """DOMAIN 3.1, 3.3–3.5: ORPTS parcels, EPA's ATTAINS and ECHO, Esri's Local Government model."""
    target = crosswalk_by_aliases(layer, columns).targets[0]
    assert target.fields == expected
    assert target.id == columns[0]
