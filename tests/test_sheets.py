from __future__ import annotations

import subprocess
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
import shapely
from matplotlib.figure import Figure
from pypdf import PdfReader
from pyproj import CRS

from layers.errors import CallError
from mapping.outputs.sheet_grid import MOST_SHEETS, PAPERS, SCALES, cut_sheets
from mapping.outputs.sheet_labels import Labels
from mapping.outputs.sheet_parts import convergence
from mapping.outputs.sheet_symbols import Canvas
from mapping.outputs.sheets import write_map_book
from tests.outputs_town import ON, box, layer, line, outfalls, point, town

OWN = {"owner": "Town", "status": "active"}
LETTER = PAPERS["letter"]


def small_town(**more):
    layers = {
        "outfalls": layer(
            "outfalls",
            {
                "OF-1": (
                    point(0, 0),
                    {**OWN, "kind": "outfall", "diameter_in": 18.0, "material": "HDPE", "source": "gps.csv"},
                ),
                "OF-2": (point(4000, 100), {**OWN, "kind": "interconnection"}),
                "OF-3": (None, {**OWN, "kind": "outfall"}),
            },
        ),
        "pipes": layer("pipes", {"P-1": (line((200, 300), (0, 0)), {**OWN, "system": "storm"})}),
        "waters": layer(
            "waters",
            {
                "lake": (box(-600, -900, 900, -150), {"name": "Peach Lake", "dec_class": "B", "ir_category": "5"}),
                "res": (box(3600, -800, 4900, -150), {"name": "Titicus Reservoir", "ir_category": "4a"}),
            },
        ),
        "boundary": layer("boundary", {"b": (box(-1000, -1000, 5000, 1000), {"name": "Designated area"})}),
        "parcels": layer("parcels", {"lot": (box(100, 100, 300, 300), {"owner_name": "Jane Invented"})}),
    }
    return town({**layers, **more}, spdes_id="NYR20A999")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "mapbook.pdf"
    sheets = write_map_book(small_town(), None, path, ON, public=False)
    return path, sheets


def words(path, page=None):
    pages = PdfReader(path).pages
    return "\n".join(each.extract_text() for each in (pages if page is None else [pages[page]]))


# -- how a town is cut into sheets


def test_the_overview_comes_first_and_details_run_from_north_west():
    places = outfalls(A=(0, 5000), B=(5000, 5000), C=(0, 0))
    sheets = cut_sheets(town({"outfalls": places}), LETTER, feet_per_inch=400)
    assert [(each.number, each.title) for each in sheets] == [
        (1, "Overview and index of sheets"),
        (2, "Detail A1"),
        (3, "Detail A2"),
        (4, "Detail B1"),
    ]


def test_a_square_without_assets_gets_no_sheet_and_is_nobodys_neighbour():
    sheets = cut_sheets(town({"outfalls": outfalls(A=(0, 0), B=(9000, 0))}), LETTER, feet_per_inch=400)
    assert [each.title for each in sheets[1:]] == ["Detail A1", "Detail A4"]
    assert [dict(each.beside) for each in sheets[1:]] == [{}, {}]


def test_neighbours_name_each_other():
    a_pipe = layer("pipes", {"P": (line((0, 0), (9000, 0)), OWN)})
    first, second, *_ = cut_sheets(town({"pipes": a_pipe}), LETTER, feet_per_inch=400)[1:]
    assert (first.beside["east"], second.beside["west"]) == (second.number, first.number)


def test_every_asset_lies_on_a_sheet():
    rng = np.random.default_rng(3)
    places = {f"OF_{n}": (float(x), float(y)) for n, (x, y) in enumerate(rng.uniform(0, 20000, (200, 2)))}
    place = town({"outfalls": outfalls(**places)})
    tiles = shapely.union_all([shapely.box(*each.tile) for each in cut_sheets(place, LETTER)[1:]])
    assert place.layer("outfalls").geometry.intersects(tiles).all()


def test_the_scale_is_the_largest_that_keeps_the_book_thin():
    corners = outfalls(**{f"OF_{x}_{y}": (x * 1500.0, y * 1500.0) for x in range(12) for y in range(12)})
    place = town({"outfalls": corners})
    sheets = cut_sheets(place, LETTER)
    finer = [scale for scale in SCALES if 200 <= scale < sheets[1].feet_per_inch]
    assert len(sheets) - 1 <= MOST_SHEETS
    assert all(len(cut_sheets(place, LETTER, feet_per_inch=scale)) - 1 > MOST_SHEETS for scale in finer)


def test_one_far_outlier_does_not_make_a_thousand_sheets():
    assert len(cut_sheets(town({"outfalls": outfalls(A=(0, 0), B=(900_000, 0))}), LETTER, feet_per_inch=200)) == 3


def test_an_inch_of_paper_is_the_feet_that_it_says():
    for name in PAPERS:
        frame, detail = PAPERS[name].map, cut_sheets(small_town(), PAPERS[name], feet_per_inch=400)[1]
        assert detail.view[2] - detail.view[0] == pytest.approx((frame[2] - frame[0]) * 400)


def test_a_town_in_metres_is_drawn_to_the_same_scale():
    feet = small_town()
    metres = replace(
        feet,
        settings=replace(feet.settings, crs=CRS.from_epsg(26918)),
        layers={name: frame.to_crs(26918) for name, frame in feet.layers.items()},
    )
    detail = cut_sheets(metres, LETTER, feet_per_inch=400)[1]
    assert (detail.view[2] - detail.view[0]) / 0.3048006 == pytest.approx((LETTER.map[2] - LETTER.map[0]) * 400)


def test_unknown_paper_is_refused(tmp_path):
    with pytest.raises(CallError, match="no paper 'a4'"):
        write_map_book(small_town(), None, tmp_path / "x.pdf", ON, public=False, paper="a4")
    assert not list(tmp_path.iterdir())


def test_true_north_lies_west_of_the_grid_east_of_its_meridian():
    sheet = cut_sheets(small_town(), LETTER)[0]
    assert convergence(small_town(), sheet) == pytest.approx(0.59, abs=0.01)  # DOMAIN: +0.59° in New York East


# -- what stands on the sheets


def test_every_sheet_has_its_title_block(book):
    path, sheets = book
    count = len(PdfReader(path).pages)
    for number in range(1, len(sheets) + 1):
        said = words(path, number - 1)
        for text in (
            "Sampleton (synthetic)",
            f"Sheet {number} of {count}",
            "GP-0-24-001",
            "NYR20A999",
            "Mon 30 Nov 2026",
            "Not a survey",
            "NAD83 / New York East",
            "Legend",
            "grid north",
            " ft",
        ):
            assert text in said, text


def test_the_legend_has_the_symbols_of_the_sheet_and_no_others(book):
    path, sheets = book
    first, last = words(path, 1), words(path, len(sheets) - 1)
    assert ("Outfall\n" in first, "Interconnection" in first, "303(d) water" in first) == (True, False, True)
    assert ("Interconnection" in last, "Pipe\n" in last, "Water with a TMDL" in last) == (True, False, True)
    assert "Catch basin" not in words(path)


def test_outfalls_and_impaired_waters_are_named_in_words(book):
    path, sheets = book
    assert "OF-1" in words(path, 1)
    assert "Peach Lake (class B, 303(d) listed)" in words(path, 1)
    assert "Titicus Reservoir (TMDL, IR 4a)" in words(path, len(sheets) - 1)


def test_what_has_no_place_is_said(book):
    path, _ = book
    assert "Without a place, on no sheet: outfalls and connections to other systems 1" in words(path, 0).replace(
        "\n", " "
    )
    assert "not located" in words(path, -1)


def test_the_schedule_lists_every_outfall_with_its_water(book):
    said = words(book[0], -1)
    for text in ("schedule of outfalls", "OF-1", "OF-2", "OF-3", '18" HDPE', "Peach Lake (IR 5)"):
        assert text in said


def test_nothing_is_a_picture(book):
    listed = subprocess.run(["pdfimages", "-list", book[0]], capture_output=True, text=True, check=True).stdout
    assert len(listed.splitlines()) == 2  # the two lines of the head


def test_no_personal_data_is_on_the_sheets(book):
    assert "Jane" not in words(book[0])


def test_the_same_day_gives_the_same_bytes(book, tmp_path):
    write_map_book(small_town(), None, tmp_path / "again.pdf", ON, public=False)
    assert (tmp_path / "again.pdf").read_bytes() == book[0].read_bytes()
    assert PdfReader(book[0]).metadata.creation_date.date() == ON == date(2026, 11, 30)


def test_names_that_look_like_formulas_or_are_in_no_font_are_only_text(tmp_path):
    hostile = layer("outfalls", {"$\\frac{": (point(0, 0), {**OWN, "kind": "outfall"})})
    roads = layer("roads", {"r": (line((-500, 50), (900, 50)), {"name": "日本 $x^2$ Road \x07"})})
    write_map_book(small_town(outfalls=hostile, roads=roads), None, tmp_path / "x.pdf", ON, public=True)
    said = words(tmp_path / "x.pdf")
    assert "$\\frac{" in said
    assert "$x^2$ Road" in said


@pytest.mark.parametrize("layers", [{}, {"outfalls": outfalls(A=None)}])
def test_a_town_with_nothing_located_has_an_overview_that_says_so(layers, tmp_path):
    sheets = write_map_book(town(layers), None, tmp_path / "x.pdf", ON, public=False)
    assert len(sheets) == 1
    assert "Nothing is located yet" in words(tmp_path / "x.pdf", 0)


# -- where words go


def labels():
    axes = Figure(figsize=(4, 4)).add_axes((0, 0, 1, 1))
    return Labels(Canvas(axes, 100.0, 1.0), (0, 0, 400, 400), (0, 0, 400, 400))


def overlaps(boxes):
    rectangles = [shapely.box(*each) for each in boxes]
    return any(a.intersection(b).area > 0 for n, a in enumerate(rectangles) for b in rectangles[:n])


def test_labels_do_not_overlap_and_stay_inside_the_frame():
    made = labels()
    placed = [made.name_point(200 + n, 200, f"OF-{n:03d}", 6) for n in range(12)]
    assert sum(placed) > 8
    assert not overlaps(made.taken)
    assert made.taken.min() >= 0
    assert made.taken.max() <= 4


def test_a_label_without_room_is_said_not_squeezed_in():
    made = labels()
    made.keep_clear(np.array([[200.0, 200.0]]), 72 * 4 * 2)
    assert made.name_point(200, 200, "OF-1", 6) is False


def test_a_word_longer_than_its_line_is_left_out():
    made = labels()
    assert made.name_line(shapely.LineString([(0, 50), (30, 50)]), "A very long road name", 6) is False
    assert made.name_line(shapely.LineString([(0, 50), (400, 50)]), "A very long road name", 6) is True
