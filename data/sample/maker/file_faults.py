"""Faults that live in the files rather than on the ground: bad rows, keys, places and spellings."""

from __future__ import annotations

import shapely
from shapely import LineString, Point, Polygon
from shapely.ops import nearest_points

from maker.curves import beside
from maker.drainage import Outfall
from maker.faults import CSV, GPKG
from maker.planted import Planted, Town
from maker.roll import SWIS

PARCELS = "parcels.zip"


def plant_outfall_faults(town: Town) -> None:
    """Plants F20 to F28 in the outfalls, and names the interconnections and state outfalls that are there by nature."""
    _no_place(town)
    _far_from_water(town)
    _between_waters(town)
    _culvert_outlet(town)
    _garage_intraconnection(town)
    _name_existing(town)


def _outfall(town: Town, spot: tuple[float, float], road: str, segment: str) -> Outfall:
    return town.drains.add_outfall("Outfall", spot, "TOWN", road, segment, piped=True)


def _feed(town: Town, outfall: Outfall, spot: tuple[float, float], level_ft: float) -> None:
    """A basin and a pipe that end at the outfall."""
    basin = town.drains.add_structure("Catch Basin", spot, outfall.road, "TOWN")
    basin.rim_ft, basin.invert_ft = level_ft, level_ft - 4.0
    path = LineString([basin.xy, outfall.xy])
    line = town.drains.add_line("Pipe", path, (basin.id, outfall.id), "TOWN", outfall.road)
    line.inverts_ft = (level_ft - 3.9, level_ft - 5.0)


def _no_place(town: Town) -> None:
    outfall = _outfall(town, (0.0, 0.0), "Harrow Road", "9902-0015")
    outfall.remarks = "no place"
    town.plant(Planted(
        "F20", "fault", "a row with blank latitude and longitude", CSV, "outfalls", outfall.id,
        "kept in the table, counted as not located", finding="OUT-05", case="unlocated"))  # fmt: skip


def _far_from_water(town: Town) -> None:
    road = town.land.road("Quince Court")
    at = road.line.length - 500.0
    outfall = _outfall(town, beside(road.line, at, 150.0), "Quince Court", "")
    _feed(town, outfall, beside(road.line, at, 15.0), 405.0)
    town.plant(Planted(
        "F21", "fault", "an outfall at a hillside, further than 300 ft from any water", CSV, "outfalls", outfall.id,
        "no receiving water within 300 ft, none guessed", finding="OUT-02", case="no_water"))  # fmt: skip


def _between_waters(town: Town) -> None:
    """A spot on the berm between Alder Brook and Heron Lake, about as far from the one as from the other."""
    brook, lake = town.land.brooks["9902-0013"], town.land.ponds["9902-0002"].exterior
    near = nearest_points(brook, lake)
    middle = LineString([near[0], near[1]]).interpolate(0.52, normalized=True)
    outfall = _outfall(town, (middle.x, middle.y), "Heron Lake Road", "")
    _feed(town, outfall, beside(LineString([near[0], near[1]]), near[0].distance(middle), 48.0), 345.0)
    town.plant(Planted(
        "F22", "fault", "an outfall as far from Heron Lake (category 5) as from the unlisted Alder Brook", CSV, "outfalls",
        outfall.id, "both waters kept, ambiguous, at most possible", finding="WAT-02 OUT-03", case="ambiguous"))  # fmt: skip


def _culvert_outlet(town: Town) -> None:
    brook, road = town.land.brooks["9902-0011"], town.land.road("Old Orchard Road")
    crossing = shapely.get_parts(brook.intersection(road.line))[0]
    x, y = beside(brook, brook.project(Point(shapely.get_coordinates(crossing)[0])) + 24.0, 3.0)
    outfall = _outfall(town, (x, y), "Old Orchard Road", "9902-0011")
    outfall.kind = "Culvert Outlet"
    town.plant(Planted(
        "F23", "fault", "the outlet of a stream culvert listed as if it were an outfall", CSV, "outfalls", outfall.id,
        "kind unknown, drawn with a question mark, no outfall", finding="OUT-01 OUT-06", case="kind_unknown"))  # fmt: skip


def _garage_intraconnection(town: Town) -> None:
    """The highway garage's yard drain, and the point where it enters the Town's storm drains."""
    yard = town.parcel_of("Town Highway Garage").ground.representative_point()
    basins = [each for each in town.drains.structures if each.owner == "TOWN" and each.road == "Harrow Road"]
    into = min(basins, key=lambda each: Point(each.xy).distance(yard))
    way = LineString([yard, into.xy])
    point = _outfall(town, way.interpolate(way.length - 14.0).coords[0], "Harrow Road", "")
    point.kind, point.remarks = "Intraconnection", "FAC-01"
    _feed(town, point, way.interpolate(way.length * 0.35).coords[0], 392.0)
    line = town.drains.add_line("Pipe", LineString([point.xy, into.xy]), (point.id, into.id), "TOWN", "Harrow Road")
    town.kept_ids.add(line.id)
    town.plant(Planted(
        "F24", "fault", "where the highway garage's yard drain enters the Town's system", CSV, "outfalls", point.id,
        "an intraconnection: a monitoring location that discharges to no water itself", case="intraconnection"))  # fmt: skip


def _name_existing(town: Town) -> None:
    state = next(each for each in town.drains.outfalls if each.owner == "NYSDOT" and each.kind == "Outfall")
    town.plant(Planted(
        "F25", "fault", "an outfall of the State's", CSV, "outfalls", state.id,
        "drawn, but no MS4 outfall of the Town: no WAT flag", case="state_owned"))  # fmt: skip
    between = next(each for each in town.drains.outfalls if each.kind == "Interconnection" and each.owner == "TOWN")
    town.plant(Planted(
        "F26", "fault", f"where the Town's system enters that of {between.remarks}", CSV, "outfalls", between.id,
        "an interconnection: a monitoring location, with the receiving MS4", case="interconnection"))  # fmt: skip


def plant_structure_faults(town: Town) -> None:
    """Plants F30 to F34 in the structures' table: rows that a careless reader loses or misreads."""
    drains = town.drains
    lost = drains.add_structure("Catch Basin", (0.0, 0.0), "Meadow Lane", "TOWN")
    lost.rim_ft, lost.invert_ft = 371.0, 367.2
    town.plant(Planted(
        "F30", "fault", "a basin without geometry", GPKG, "catch_basins", lost.id,
        "kept in the table, counted as not located", case="unlocated"))  # fmt: skip
    origin = drains.add_structure("Catch Basin", (0.0, 0.0), "Meadow Lane", "TOWN")
    town.plant(Planted(
        "F31", "fault", "a basin at the point 0, 0", GPKG, "catch_basins", origin.id,
        "its place is not believed: kept, counted as not located", report="not_finite_or_zero", case="unlocated"))  # fmt: skip
    first = next(each for each in drains.structures if each.kind == "Catch Basin" and each.road == "Macintosh Lane")
    twin = next(each for each in drains.structures if each.kind == "Catch Basin" and each.road == "Russet Lane")
    for line in drains.lines:
        line.from_id, line.to_id = ("" if end == twin.id else end for end in (line.from_id, line.to_id))
    twin.id = first.id
    town.plant(Planted(
        "F32", "fault", f"two basins, on Macintosh and on Russet Lane, both called {first.id}", GPKG, "catch_basins",
        f"{first.id}#2", "both kept, the second as #2, reported", report="id_doubled"))  # fmt: skip
    shaft = next(each for each in drains.structures if each.kind == "Manhole" and each.owner == "TOWN")
    shaft.kind = "Drop Shaft"
    town.plant(Planted(
        "F33", "fault", "a structure of the kind Drop Shaft, which the crosswalk does not take", GPKG, "", shaft.id,
        "in no layer: neither basin nor outfall", case="not_taken"))  # fmt: skip
    odd = next(each for each in drains.structures if each.road == "Hilltop Drive" and each.kind == "Catch Basin")
    odd.road = r'Hilltop Drive, behind "Smith & Sons" <see plan 7\3>'
    town.plant(Planted(
        "F34", "fault", "a location with quotes, angle brackets and a backslash", GPKG, "catch_basins", odd.id,
        "shown as it is written, runs nowhere", case="text"))  # fmt: skip


def plant_parcel_faults(town: Town) -> None:
    """Plants F40 to F43 in the roll."""
    homes = [each for each in town.parcels if each.values["PROP_CLASS"] == "210" and not each.values["DUP_GEO"]]
    bow = next(each for each in homes if len(each.ground.exterior.coords) == 5)
    a, b, c, d = list(bow.ground.exterior.coords)[:4]
    bow.ground = Polygon([a, c, b, d])
    town.plant(Planted(
        "F40", "fault", "a lot drawn as a bow tie", PARCELS, "parcels", bow.key,
        "made valid, the change of area reported", report="made_valid_area_changed"))  # fmt: skip
    street = [each for each in homes if each.values["LOC_STREET"] == "Cobbler Lane"][:4]
    for parcel, print_key in zip(street, ("2.1", "2.10", "14.-3-2.1", "14.-3-2.10"), strict=True):
        parcel.values["PRINT_KEY"] = print_key
    town.plant(Planted(
        "F41", "fault", "print keys 2.1 and 2.10, which are two lots", PARCELS, "parcels", street[1].key,
        "stays 2.10", case="print_key"))  # fmt: skip
    units = [each for each in town.parcels if each.values["DUP_GEO"]]
    town.plant(Planted(
        "F42", "fault", f"a condominium: {len(units)} rows with one outline", PARCELS, "parcels", units[0].key,
        "one premises", case="stack"))  # fmt: skip
    town.plant(Planted(
        "F43", "fault", "keys of 26 digits with zeros in front of their parts", PARCELS, "parcels", town.parcels[0].key,
        f"text to the last digit, {SWIS} first", case="text_key"))  # fmt: skip
    line = next(each for each in town.drains.lines if each.kind == "Pipe")
    town.plant(Planted(
        "F44", "fault", "line ids of ten characters, zeros in front", GPKG, "pipes", line.id,
        "stay text", case="text_key"))  # fmt: skip


def without_place(town: Town) -> set[str]:
    """Ids of structures and outfalls whose place is left blank in the files."""
    return {each.id for each in town.planted if each.code in ("F20", "F30")}
