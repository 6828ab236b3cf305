"""Geometry as it must be, with a record of every repair, rejection and explosion."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from layers.clean import Cleaned, Notes, clean_shapes, flatten, free_id, is_finite
from layers.schema import schema
from layers.tolerances import Tolerances
from tests.received import untimed


def clean(layer: str, **drawn: Any) -> tuple[Cleaned, Notes]:
    shapes = [shapely.from_wkt(each) if isinstance(each, str) else each for each in drawn.values()]
    notes, index = Notes(), pd.Index(list(drawn), dtype="str")
    return clean_shapes(gpd.GeoSeries(shapes, index=index, crs=2260), schema(layer), Tolerances(), notes), notes


def wkt(cleaned: Cleaned) -> dict[str, str | None]:
    return {name: None if shape is None else shape.wkt for name, shape in cleaned.shapes.items()}


# -- areas


def test_a_bow_tie_keeps_both_its_wings_and_the_change_is_listed() -> None:
    """FAULTS 26: area 0 before; buffer(0) would keep half a lot of 5,000."""
    cleaned, notes = clean("parcels", L1="POLYGON ((0 0, 100 100, 100 0, 0 100, 0 0))")
    assert cleaned.shapes["L1"].area == 5000
    assert cleaned.shapes["L1"].geom_type == "MultiPolygon"
    assert notes.repaired == {"made_valid_area_changed": ["L1"]}


def test_a_spike_that_encloses_nothing_is_mended_in_silence_of_the_area() -> None:
    cleaned, notes = clean("parcels", L1="POLYGON ((0 0, 100 0, 150 0, 100 0, 100 100, 0 100, 0 0))")
    assert cleaned.shapes["L1"].area == 10_000
    assert notes.repaired == {"made_valid": ["L1"]}


@pytest.mark.parametrize(("side", "code"), [(9.0, "made_valid"), (11.0, "made_valid_area_changed")])
def test_a_change_of_more_than_one_per_cent_is_listed(side: float, code: str) -> None:
    """A lot of 10,000 whose outline loops backwards round a triangle of 40.5 or 60.5, which counts as less than nothing
    before the repair: the area grows by 81 or 121, of 10,040.5 or 10,060.5."""
    outline = f"0 0, 100 0, 100 100, 100 {100 + side}, {100 + side} 100, 100 100, 0 100, 0 0"
    cleaned, notes = clean("parcels", L1=f"POLYGON (({outline}))")
    assert cleaned.shapes["L1"].area == 10_000 + side * side / 2
    assert notes.repaired == {code: ["L1"]}


def test_an_outline_that_encloses_nothing_is_not_located() -> None:
    cleaned, notes = clean("parcels", L1="POLYGON ((0 0, 100 0, 50 0, 0 0))", L2="POLYGON ((0 0, 1 0, 1 1, 0 0))")
    assert wkt(cleaned)["L1"] is None
    assert notes.repaired == {"made_valid_collapsed": ["L1"]}


def test_one_area_becomes_an_area_of_one_part() -> None:
    cleaned, notes = clean("parcels", L1="POLYGON ((0 0, 1 0, 1 1, 0 0))")
    assert wkt(cleaned)["L1"] == "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))"
    assert (notes.repaired, notes.rejected) == ({}, {})


def test_areas_of_several_parts_stay_whole() -> None:
    cleaned, notes = clean("parcels", L1="MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))")
    assert list(cleaned.shapes.index) == ["L1"]
    assert notes.children == []


def test_of_a_mixed_drawing_the_parts_that_fit_are_kept_and_it_is_said() -> None:
    mixed = "GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1, 0 0)), LINESTRING (0 0, 9 9), POLYGON ((5 5, 6 5, 6 6, 5 5)))"
    cleaned, notes = clean("parcels", L1=mixed)
    assert cleaned.shapes["L1"].area == 1.0
    assert notes.repaired == {"parts_dropped": ["L1"]}


# -- kinds


@pytest.mark.parametrize(
    ("layer", "drawing"),
    [
        ("catch_basins", "POLYGON ((0 0, 1 0, 1 1, 0 0))"),
        ("catch_basins", "LINESTRING (0 0, 1 1)"),
        ("pipes", "POINT (0 0)"),
        ("parcels", "LINESTRING (0 0, 1 1)"),
        ("parcels", "GEOMETRYCOLLECTION (LINESTRING (0 0, 1 1))"),
        ("drains", "GEOMETRYCOLLECTION (POINT (0 0), LINESTRING (0 0, 1 1))"),
    ],
)
def test_a_drawing_of_another_kind_is_rejected(layer: str, drawing: str) -> None:
    cleaned, notes = clean(layer, A=drawing)
    assert len(cleaned.shapes) == 0
    assert notes.rejected == {"geometry_type": ["A"]}


@pytest.mark.parametrize("drawing", ["POINT (0 0)", "LINESTRING (0 0, 1 1)"])
def test_a_drain_may_be_a_line_or_a_point(drawing: str) -> None:
    assert wkt(clean("drains", A=drawing)[0]) == {"A": drawing}


def test_no_drawing_is_kept_as_none() -> None:
    cleaned, notes = clean("catch_basins", A=None, B="POINT (1 2)")
    assert wkt(cleaned) == {"A": None, "B": "POINT (1 2)"}
    assert (notes.repaired, notes.rejected) == ({}, {})


def test_nothing_at_all_is_nothing() -> None:
    cleaned, _ = clean("catch_basins")
    assert len(cleaned.shapes) == 0


# -- lines


def test_vertices_that_stand_twice_are_made_one() -> None:
    cleaned, notes = clean("pipes", P1="LINESTRING (0 0, 0 0, 5 0, 5 0, 9 0)")
    assert wkt(cleaned)["P1"] == "LINESTRING (0 0, 5 0, 9 0)"
    assert notes.repaired == {"repeated_vertices": ["P1"]}


def test_a_line_without_length_is_left_as_it_is() -> None:
    cleaned, notes = clean("pipes", P1="LINESTRING (5 5, 5 5)")
    assert wkt(cleaned)["P1"] == "LINESTRING (5 5, 5 5)"
    assert notes.repaired == {}


def test_a_line_of_several_parts_becomes_a_row_a_part() -> None:
    cleaned, notes = clean("pipes", P1="MULTILINESTRING ((0 0, 1 0), (5 0, 6 0))", P2="LINESTRING (0 0, 9 9)")
    assert wkt(cleaned) == {
        "P2": "LINESTRING (0 0, 9 9)",
        "P1.1": "LINESTRING (0 0, 1 0)",
        "P1.2": "LINESTRING (5 0, 6 0)",
    }
    assert cleaned.parents.to_dict() == {"P2": "P2", "P1.1": "P1", "P1.2": "P1"}
    assert (notes.parents, notes.children) == (["P1"], ["P1.1", "P1.2"])


def test_a_line_of_one_part_keeps_its_id() -> None:
    cleaned, notes = clean("pipes", P1="MULTILINESTRING ((0 0, 1 0))")
    assert wkt(cleaned) == {"P1": "LINESTRING (0 0, 1 0)"}
    assert notes.parents == []


def test_the_id_of_a_part_never_takes_that_of_another() -> None:
    drawn = {"P1": "MULTILINESTRING ((0 0, 1 0), (5 0, 6 0))", "P1.1": "LINESTRING (0 0, 9 9)"}
    cleaned, _ = clean("pipes", **drawn)
    assert sorted(cleaned.shapes.index) == ["P1.1", "P1.1#2", "P1.2"]


def test_a_water_of_several_parts_stays_whole() -> None:
    assert list(clean("waters", W="MULTILINESTRING ((0 0, 1 0), (5 0, 6 0))")[0].shapes.index) == ["W"]


def test_points_of_several_parts_are_told_apart() -> None:
    assert list(clean("catch_basins", A="MULTIPOINT ((0 0), (5 5))")[0].shapes.index) == ["A.1", "A.2"]


# -- flat and finite


def test_heights_go_to_a_column_and_drawings_become_flat() -> None:
    """FAULTS 13: (1,1,6) and (1,1) must be one place."""
    shapes = np.array(
        [shapely.Point(1, 2, 512.5), shapely.Point(1, 2), shapely.LineString([(0, 0, 5), (1, 1, 6)]), None]
    )
    z, flat = flatten(shapes)
    assert z[0] == 512.5
    assert np.isnan(z[1:]).all()
    assert [shape.wkt if shape else None for shape in flat] == [
        "POINT (1 2)",
        "POINT (1 2)",
        "LINESTRING (0 0, 1 1)",
        None,
    ]


def test_measures_go_too() -> None:
    _, flat = flatten(np.array([shapely.from_wkt("LINESTRING ZM (0 0 5 1, 1 1 6 2)")]))
    assert flat[0].wkt == "LINESTRING (0 0, 1 1)"


def test_empty_drawings_become_none() -> None:
    assert flatten(np.array([shapely.Point(), shapely.Polygon(), shapely.MultiLineString()]))[1].tolist() == [None] * 3


@pytest.mark.parametrize(
    ("shape", "finite"),
    [
        (shapely.Point(1, 2), True),
        (shapely.Point(float("nan"), 1), False),
        (shapely.Point(float("inf"), 1), False),
        ("LINESTRING (0 0, NaN 1, 2 2)", False),
        (shapely.Point(), False),
        (None, False),
    ],
)
def test_every_coordinate_must_be_a_number(shape: Any, finite: bool) -> None:
    with np.errstate(invalid="ignore"):
        drawn = shapely.from_wkt(shape) if isinstance(shape, str) else shape
        assert is_finite(np.array([drawn, shapely.Point(0, 0)], dtype=object)).tolist() == [finite, True]


# -- ids


def test_a_free_id_is_left_alone() -> None:
    taken = {"A"}
    assert free_id("B", taken) == "B"
    assert taken == {"A", "B"}


@given(st.lists(st.sampled_from(["A", "A#2", "A#2#2", "B"]), max_size=12))
@untimed
def test_ids_are_told_apart_whatever_they_are(wanted: list[str]) -> None:
    taken: set[str] = set()
    made = [free_id(each, taken) for each in wanted]
    assert len(set(made)) == len(made)


COORDINATE = st.integers(0, 6).map(float)
RING = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=3, max_size=7)


@given(RING)
@untimed
def test_every_area_becomes_valid_or_is_not_located(ring: list[tuple[float, float]]) -> None:
    cleaned, notes = clean("parcels", L=shapely.Polygon(ring))
    shape = cleaned.shapes["L"]
    assert shape is None or (shape.is_valid and shape.area > 0 and shape.geom_type == "MultiPolygon")
    assert (shape is None) is ("made_valid_collapsed" in notes.repaired)
