from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from datetime import date

import numpy as np
import pytest
from pypdf import PdfReader

from layers.errors import CallError
from mapping.outputs.due import DueLocation, Reason, due_locations
from mapping.outputs.roads_graph import travel_between
from mapping.outputs.route import dry_weather_of, plan_route
from mapping.outputs.stops import write_route
from tests.outputs_town import DRY, ON, PERMIT, inspection, layer, line, lonlat, outfalls, town

MILE = 5280.0
GPX = "{http://www.topografix.com/GPX/1/1}"


def road(*feet, **fields):
    return line(*feet), {"speed_mph": 30.0, **fields}


def roads(**rows):
    return layer("roads", rows)


MAIN = roads(main=road((0, 0), (2 * MILE, 0)), side=road((MILE, 0), (MILE, MILE)))


def minutes(frame, *places, private=False):
    corner = np.array([739000.0, 910000.0])
    return travel_between(corner + np.array(places, float), frame, private=private).minutes.round(2).tolist()


def plan(layers, due=None, *, start=(0, 0), records=(), options=None, **kwargs):
    place = town(layers, records, **(options or {}))
    due = due_locations(place, PERMIT, ON) if due is None else due
    return plan_route(place, start=lonlat(*start), due=due, on=ON, **kwargs)


def ids(crew):
    return [stop.id for stop in crew.stops]


# -- driving times, worked out by hand: 30 mph is two minutes a mile


def test_a_road_that_ends_on_the_middle_of_another_joins_it():
    assert minutes(MAIN, (0, 0), (MILE, MILE)) == [[0, 4], [4, 0]]


def test_a_stop_beside_the_middle_of_a_road_is_taken_to_that_point():
    assert minutes(MAIN, (0, 0), (MILE / 2, 80))[0][1] == 1


@pytest.mark.parametrize(("gap", "joined"), [(2.9, True), (3.1, False)])
def test_road_ends_join_within_three_feet(gap, joined):
    frame = roads(a=road((0, 0), (MILE, 0)), b=road((MILE + gap, 0), (2 * MILE, 0)))
    assert np.isfinite(minutes(frame, (0, 0), (2 * MILE, 0))[0][1]) == joined


def test_roads_that_cross_without_a_vertex_are_a_junction():
    frame = roads(a=road((0, 0), (2 * MILE, 0)), b=road((MILE, -MILE), (MILE, MILE)))
    assert minutes(frame, (0, 0), (MILE, MILE))[0][1] == 4


def test_an_interstate_crosses_on_a_bridge():
    crossing = road((MILE, -MILE), (MILE, MILE), **{"class": "INTERSTATE"})
    frame = roads(a=road((0, 0), (2 * MILE, 0)), b=crossing, c=road((MILE, MILE), (0, MILE)))
    assert minutes(frame, (0, 0), (0, MILE)) == [[0, np.inf], [np.inf, 0]]


def test_a_one_way_street_is_driven_as_drawn():
    frame = roads(a=road((0, 0), (MILE, 0), oneway="yes"), b=road((0, 0), (0, MILE), (MILE, MILE), (MILE, 0)))
    assert minutes(frame, (0, 0), (MILE, 0)) == [[0, 2], [6, 0]]


@pytest.mark.parametrize(("kind", "expected"), [("STATE HWY", 1.5), ("MINOR", 2.14), ("DRIVE", 5.0), ("7", 2.4)])
def test_a_road_without_a_speed_is_driven_as_its_class_is(kind, expected):
    frame = roads(a=road((0, 0), (MILE, 0), speed_mph=float("nan"), **{"class": kind}))
    assert minutes(frame, (0, 0), (MILE, 0))[0][1] == expected


def test_private_roads_are_driven_only_when_asked():
    frame = roads(a=road((0, 0), (MILE, 0)), b=road((MILE, 0), (MILE, MILE), private="yes"))
    assert minutes(frame, (0, 0), (MILE, MILE))[0][1] == 2  # as far as the public road goes
    assert minutes(frame, (0, 0), (MILE, MILE), private=True)[0][1] == 4


def test_of_two_parallel_roads_the_faster_is_driven():
    frame = roads(a=road((0, 0), (MILE, 0)), b=road((0, 0), (MILE, 0), speed_mph=60.0))
    assert minutes(frame, (0, 0), (MILE, 0))[0][1] == 1


def test_metres_and_feet_give_the_same_times():
    metres = MAIN.to_crs(26918)
    ends = np.array(metres.geometry["main"].coords)
    assert travel_between(ends, metres, private=False).minutes[0, 1] == pytest.approx(4, rel=1e-3)


# -- the plan


def test_stops_are_ordered_along_the_road_with_times_of_arrival():
    (crew,) = plan({"roads": MAIN, "outfalls": outfalls(OF_2=(2 * MILE, 0), OF_1=(MILE, -30))}).crews
    # 2 min to OF-1 at 08:02, 20 min there, 2 min more: 08:24, 20 min, 4 min home
    by_id = {stop.id: stop.eta for stop in crew.stops}
    assert by_id in ({"OF-1": "08:02", "OF-2": "08:24"}, {"OF-2": "08:04", "OF-1": "08:26"})
    assert (crew.drive_min, crew.service_min, crew.length_mi, crew.back_at) == (8.0, 40.0, 4.0, "08:48")


def test_every_due_location_is_a_stop_or_said_why_not():
    frame = roads(main=road((0, 0), (2 * MILE, 0)), island=road((0, 9000), (MILE, 9000)))
    places = outfalls(OF_1=(MILE, 0), OF_2=(500, 9000), OF_3=None, OF_4=(MILE, -2700))
    made = plan({"roads": frame, "outfalls": places})
    assert ids(made.crews[0]) == ["OF-1"]
    assert [(left.id, left.why) for left in made.unreachable] == [
        ("OF-2", "its road is not joined to the roads of the start"),
        ("OF-4", "the nearest road is 2,700 ft away"),
    ]
    assert [(left.id, left.why) for left in made.left_out] == [("OF-3", "not located: no coordinates on record")]
    assert "OF-2 cannot be reached: its road is not joined to the roads of the start" in made.notes


def test_the_distance_from_the_road_is_shown():
    (crew,) = plan({"roads": MAIN, "outfalls": outfalls(OF_1=(MILE / 2, -812))}).crews
    assert crew.stops[0].snap_ft == 812.0
    assert crew.stops[0].facts["on_foot"] == "812 ft from the road"


def test_what_does_not_fit_into_the_day_is_left_out_and_the_urgent_goes_first():
    never, obvious = Reason("never", "never inspected"), Reason("obvious", "rated obvious", date(2026, 11, 21))
    due = [DueLocation("OF-1", "outfall", (never,)), DueLocation("OF-2", "outfall", (obvious,))]
    layers = {"roads": MAIN, "outfalls": outfalls(OF_1=(100, 0), OF_2=(2 * MILE, 0))}
    made = plan(layers, due, hours=0.9)  # 54 min: OF-2 takes 8 + 40, with OF-1 it would be 68
    assert ids(made.crews[0]) == ["OF-2"]
    assert [left.id for left in made.left_out] == ["OF-1"]
    assert made.left_out[0].why.startswith("does not fit: one crew's day of 0.9 hours")
    assert len(ids(plan(layers, due, hours=1.2).crews[0])) == 2


def test_a_stop_that_takes_longer_than_the_day_says_so():
    made = plan({"roads": MAIN, "outfalls": outfalls(OF_1=(2 * MILE, 0))}, hours=0.4)
    assert made.crews == ()
    assert made.left_out[0].why == "alone it takes 0.5 hours, the day has 0.4"


def test_two_crews_share_what_one_cannot_do():
    places = outfalls(OF_1=(MILE, 0), OF_2=(2 * MILE, 0), OF_3=(MILE, MILE))
    made = plan({"roads": MAIN, "outfalls": places}, crews=2, hours=0.9)
    assert sorted(stop.id for crew in made.crews for stop in crew.stops) == ["OF-1", "OF-2", "OF-3"]
    assert len(made.crews) == 2


def test_a_town_without_roads_gets_straight_lines_that_are_called_so():
    made = plan({"outfalls": outfalls(OF_1=(MILE, 0))})
    assert made.basis == "straight lines"
    assert any("straight lines" in note for note in made.notes)
    assert made.crews[0].length_mi == 2.8  # a mile and back, 1.4 miles driven for each


def test_nothing_due_is_a_plan_without_crews():
    made = plan({"roads": MAIN}, [])
    assert (made.crews, made.unreachable, made.left_out) == ((), (), ())


def test_minutes_at_a_stop_may_be_set_by_the_town():
    layers = {"roads": MAIN, "outfalls": outfalls(OF_1=(MILE, 0))}
    assert plan(layers, options={"service_min": {"outfall": 45}}).crews[0].service_min == 45


def test_outlets_of_unknown_owner_are_said_to_be_left_aside():
    unknown = layer("outfalls", {"OF-9": (line((0, 0), (1, 1)).centroid, {"kind": "outfall"})})
    made = plan({"roads": MAIN, "outfalls": unknown})
    assert made.notes == ("Outlets of unknown owner or kind, not counted as due until it is recorded: 1",)


@pytest.mark.parametrize("kwargs", [{"crews": 0}, {"hours": 0}, {"hours": 17}, {"start": (60 * MILE, 0)}])
def test_a_call_that_cannot_be_planned_is_refused(kwargs):
    with pytest.raises(CallError, match=r"cannot be planned|from the nearest road"):
        plan({"roads": MAIN, "outfalls": outfalls(OF_1=(0, 0))}, **kwargs)


@pytest.mark.parametrize(
    ("rains", "answer"),
    [([], "unknown"), ([{}], "unknown"), ([DRY], "yes"), ([DRY, {"rain_24h_in": 0.3}], "no"), ([{}, DRY], "yes")],
)
def test_dry_weather_is_unknown_unless_a_record_of_the_day_says_otherwise(rains, answer):
    records = [inspection("OF-1", ON, seq=seq, **rain) for seq, rain in enumerate(rains)]
    assert dry_weather_of(town({}, records), ON) == answer


def test_the_same_plan_comes_out_twice():
    rng = np.random.default_rng(7)
    places = {f"OF_{n}": (float(x), float(y)) for n, (x, y) in enumerate(rng.uniform(0, MILE, (40, 2)))}
    layers = {"roads": MAIN, "outfalls": outfalls(**places)}
    assert plan(layers, crews=2).to_json() == plan(layers, crews=2).to_json()


# -- the files


@pytest.fixture
def hostile(tmp_path):
    name = '=HYPERLINK("http://x")<b>&\x07'
    fields = {"owner": "Town", "status": "active", "kind": "outfall", "road": "@cmd </name> 日本"}
    rows = {name: (line((MILE, 0), (MILE, 1)).centroid, fields), "OF-2": (None, fields)}
    made = plan({"roads": MAIN, "outfalls": layer("outfalls", rows)})
    return made, write_route(made, tmp_path / "out")


def test_json_is_as_the_design_says(hostile):
    made, files = hostile
    said = made.to_json(files)
    assert {"crews", "unreachable", "left_out", "dry_weather", "files"} <= set(said)
    assert set(said["crews"][0]) == {"stops", "drive_min", "service_min", "length_mi"}
    stop = said["crews"][0]["stops"][0]
    assert set(stop) == {"seq", "layer", "id", "eta", "drive_min", "service_min", "reasons", "lon", "lat", "snap_ft"}
    assert (stop["seq"], stop["layer"], stop["reasons"]) == (1, "outfalls", ["never inspected"])


def test_gpx_has_its_elements_in_the_order_of_the_schema(hostile):
    root = ET.parse(hostile[1][1]).getroot()
    assert root.attrib["version"] == "1.1"
    assert [child.tag.removeprefix(GPX) for child in root] == ["metadata", "wpt", "rte"]
    order = ["ele", "time", "name", "cmt", "desc", "src", "link", "sym", "type"]
    for each in [*root.iter(f"{GPX}wpt"), *root.iter(f"{GPX}rtept")]:
        tags = [child.tag.removeprefix(GPX) for child in each]
        assert tags == sorted(tags, key=order.index)
        assert len(each.attrib["lat"].partition(".")[2]) == 6
    assert [p.findtext(f"{GPX}name")[:5] for p in root.iter(f"{GPX}rtept")] == ["Start", "01 =H", "Back"]


def test_csv_has_no_formula_and_six_decimals(hostile):
    made, files = hostile
    with files[0].open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert first["id"].startswith("'=HYPERLINK")
    assert first["road"].startswith("'@cmd")
    assert (len(first["lat"].partition(".")[2]), len(first["lon"].partition(".")[2])) == (6, 6)
    assert float(first["lon"]) == pytest.approx(made.crews[0].stops[0].lon)
    assert (second["id"], second["not_visited"]) == ("OF-2", "not located: no coordinates on record")


def test_the_stop_list_has_what_a_crew_needs(hostile):
    text = "\n".join(page.extract_text() for page in PdfReader(hostile[1][-1]).pages)
    for words in (
        "1-800-457-7362",
        "Mon 30 Nov 2026",
        "NO-GO",
        "dry weather unknown",
        "Crew 1 of 1",
        "never inspected",
    ):
        assert words in text
    assert "OF-2" in text
    assert "page 2 of 2" in text


def test_a_long_list_runs_over_pages_and_loses_no_stop(tmp_path):
    places = {f"OF_{n:02d}": (200.0 * n, 10.0) for n in range(30)}
    made = plan({"roads": MAIN, "outfalls": outfalls(**places)}, hours=16)
    text = "\n".join(page.extract_text() for page in PdfReader(write_route(made, tmp_path)[-1]).pages)
    assert all(name.replace("_", "-") in text for name in places)


def test_an_empty_plan_still_makes_a_page(tmp_path):
    files = write_route(plan({"roads": MAIN}, []), tmp_path)
    assert [file.name for file in files] == ["route.csv", "stops.pdf"]
    assert "Nothing is due" in PdfReader(files[-1]).pages[0].extract_text()
