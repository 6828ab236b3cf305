"""The rows of the sample town's files: each sender's field names, codes, gaps and habits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely import MultiPolygon, Point

from maker import plan
from maker.drainage import Line, Outfall
from maker.file_faults import without_place
from maker.files import (
    DEGREES,
    METRES,
    ORIGIN,
    frame,
    lonlat,
    write_csv,
    write_geojson,
    write_geopackage,
    write_xlsx,
    write_zipped_shapefile,
)
from maker.planted import Town

SHAPEFILE_NAMES = (
    "SWIS", "PARCEL_ADDR", "PRINT_KEY", "SBL", "LOC_ST_NBR", "LOC_STREET", "LOC_UNIT", "PROP_CLASS", "ROLL_SECTION", "YR_BLT",
    "ACRES", "SEWER_TYPE", "SEWER_DESC", "WATER_SUPPLY", "WATER_DESC", "USED_AS_DESC", "PRIMARY_OWNER", "ADD_OWNER",
    "MAIL_ADDR", "MAIL_CITY", "MAIL_STATE", "MAIL_ZIP", "SWIS_SBL_ID", "OWNER_TYPE", "DUP_GEO",
)  # fmt: skip
SURVEYS = ("2008-10-21", "2009-07-14", "2011-04-28", "2016-08-09", "2023-05-17")
SPEED_MPH = {plan.STATE: 40, plan.COUNTY: 35, plan.TOWN: 30, plan.PRIVATE: 15}
SPARSE = {"from_to": 0.30, "invert": 0.35, "rim": 0.30, "count": 0.45, "recv": 0.45, "segment": 0.65}
"""Share of values left blank."""


def write_all(town: Town, folder: Path, rng: np.random.Generator) -> None:
    """Writes every file of `data/sample/files`."""
    folder.mkdir(exist_ok=True)
    _parcels(town, folder / "parcels.zip")
    _stormwater(town, folder / "stormwater.gpkg", rng)
    _outfalls(town, folder / "outfalls.csv", rng)
    _waters(town, folder / "waters.geojson")
    _watersheds(town, folder / "watersheds.geojson")
    _roads(town, folder / "roads.zip")
    _boundary(town, folder / "boundary.geojson")
    _facilities(town, folder / "facilities.csv")
    _drain_records(town, folder / "drain_records.xlsx")


def _parcels(town: Town, path: Path) -> None:
    fixed = {
        "COUNTY_NAME": "Sample", "MUNI_NAME": "North Salem (sample)", "CITYTOWN_NAME": "North Salem (sample)",
        "CITYTOWN_SWIS": "559900", "LOC_ZIP": "00000", "ROLL_YR": 2025, "SPATIAL_YR": 2025,
    }  # fmt: skip
    rows: list[dict[str, Any]] = []
    for parcel in town.parcels:
        values = fixed | {name: parcel.values[name] for name in SHAPEFILE_NAMES}
        values |= {"CALC_ACRES": parcel.values["ACRES"], "SWIS_PRINT_KEY_ID": f"559900{parcel.values['PRINT_KEY']}"}
        rows.append({name[:10]: value for name, value in values.items()})
    write_zipped_shapefile(frame(rows, [each.ground for each in town.parcels], crs=METRES), path)


def _stormwater(town: Town, path: Path, rng: np.random.Generator) -> None:
    lost = without_place(town)
    structures, points = [], []
    for each in town.drains.structures:
        ends = [(line.from_id, line.to_id) for line in town.drains.lines]
        counted = rng.random() > SPARSE["count"]
        structures.append({
            "FACILITYID": each.id, "STRUCT_TYPE": each.kind, "OWNEDBY": each.owner, "LOCDESC": each.road,
            "RIM_ELEV": each.rim_ft if each.rim_ft and rng.random() > SPARSE["rim"] else None,
            "INV_ELEV": each.invert_ft if each.invert_ft and rng.random() > SPARSE["invert"] else None,
            "NUM_IN": sum(to == each.id for _, to in ends) if counted else None,
            "NUM_OUT": sum(start == each.id for start, _ in ends) if counted else None,
            "STATUS": "Existing", "SURVEY_DATE": str(rng.choice(SURVEYS)), "HORZ_PREC": float(rng.choice([1.5, 3.0, 10.0])),
        })  # fmt: skip
        points.append(_placed(each.xy, lost=each.id in lost, at_zero=each.xy == (0.0, 0.0)))
    lines = [_line_row(line, town, rng) for line in town.drains.lines]
    write_geopackage(
        {
            "STM_Structure": frame(structures, points),
            "STM_Line": frame(lines, [each.path for each in town.drains.lines]),
        },
        path,
    )


def _placed(xy: tuple[float, float], *, lost: bool, at_zero: bool) -> Point | None:
    """Where a structure is drawn: nowhere, or at the state plane's own origin, or where it is."""
    if lost:
        return None
    return Point(-ORIGIN[0], -ORIGIN[1]) if at_zero else Point(xy)


def _line_row(line: Line, town: Town, rng: np.random.Generator) -> dict[str, Any]:
    kept = line.id in town.kept_ids
    start, end = (each if kept or rng.random() > SPARSE["from_to"] else "" for each in (line.from_id, line.to_id))
    inverts = line.inverts_ft if line.inverts_ft and (kept or rng.random() > SPARSE["invert"]) else (None, None)
    closed = line.kind != "Ditch"
    wide = float(rng.choice([24, 36, 48, 60]))
    return {
        "FACILITYID": line.id,
        "LINE_TYPE": "Swale" if line.kind == "Ditch" and rng.random() < 0.15 else line.kind,
        "OWNEDBY": line.owner,
        "SYSTEM": {"sanitary": "SAN"}.get(line.system, "STORM"),
        "FROM_ID": start,
        "TO_ID": end,
        "MATERIAL": str(rng.choice(["RCP", "CMP", "HDPE", "CMP"])) if closed and rng.random() < 0.85 else None,
        "DIAMETER": float(rng.choice([12, 15, 18, 24])) if closed and rng.random() < 0.8 else None,
        "LINING": None if closed else str(rng.choice(["Grass", "Earthen", "Riprap", "Stone"])),
        "TOP_W": None if closed else wide,
        "BOT_W": None if closed else wide / 3.0,
        "DEPTH": None if closed else float(rng.choice([12, 18, 24])),
        "INV_UP": inverts[0],
        "INV_DN": inverts[1],
        "INSTALLYEAR": int(rng.integers(1958, 2019)) if line.kind == "Pipe" and rng.random() < 0.6 else None,
        "STATUS": line.status.capitalize() if line.status != "active" else "Existing",
        "LOCDESC": line.road,
    }


def _outfalls(town: Town, path: Path, rng: np.random.Generator) -> None:
    names = {each.segment: each.name for each in (*plan.PONDS, *plan.BROOKS)}
    sure = {each.id for each in town.planted if each.case in ("ambiguous", "no_water")}
    places = lonlat([each.xy for each in town.drains.outfalls])
    lost = without_place(town)
    rows = [
        _outfall_row(each, at if each.id not in lost else ("", ""), names, each.id in sure, rng)
        for each, at in zip(town.drains.outfalls, places, strict=True)
    ]
    write_csv(rows, path)


def _outfall_row(
    each: Outfall, at: Sequence[float | str], names: dict[str, str], unsaid: bool, rng: np.random.Generator
) -> dict[str, Any]:
    named = bool(each.segment) and not unsaid and each.kind == "Outfall"
    recv = names.get(each.segment, "") if named and rng.random() > SPARSE["recv"] else ""
    segment = each.segment if recv and rng.random() > SPARSE["segment"] else ""
    return {
        "OUTFALL_ID": each.id,
        "TYPE": each.kind,
        "OWNER": each.owner,
        "LOC_TYPE": "Closed pipe" if each.piped else "Open drainage",
        "MATERIAL": str(rng.choice(["RCP", "CMP", "HDPE"])) if each.piped else "Earthen",
        "PIPE_SHAPE": "Round" if each.piped else "Trapezoid",
        "SIZE": int(rng.choice([12, 15, 18, 24, 30])) if each.piped and rng.random() < 0.9 else "",
        "SUB_WATER": str(rng.choice(["No", "No", "Partially"])),
        "SUB_SED": str(rng.choice(["No", "No", "No", "Partially"])),
        "RECV_WATER": recv,
        "WIPWL_ID": segment,
        "RECV_MS4": each.remarks if each.kind == "Interconnection" else "",
        "FAC_ID": each.remarks if each.kind == "Intraconnection" else "",
        "ROAD": each.road,
        "SURVEYED": str(rng.choice(SURVEYS)),
        "LATITUDE": f"{at[1]:.7f}" if at[1] != "" else "",
        "LONGITUDE": f"{at[0]:.7f}" if at[0] != "" else "",
    }


def _waters(town: Town, path: Path) -> None:
    rows: list[dict[str, Any]] = []
    shapes: list[shapely.Geometry] = []
    for pond in plan.PONDS:
        listed = pond.segment == plan.LAKE.segment
        rows.append({
            "PWL_ID": pond.segment, "NAME": pond.name, "CLASS": "B" if listed else "AA", "IR_CAT": "5" if listed else "4A",
            "LISTED_303D": "Y" if listed else "N", "POLLUTANTS": "Pathogens" if listed else "Phosphorus",
            "TMDL": "N" if listed else "Y", "TMDL_APPR": None if listed else "2000-06-30", "TO_SEGMENT": pond.into,
        })  # fmt: skip
        shapes.append(town.land.ponds[pond.segment])
    for brook in plan.BROOKS:
        rows.append({
            "PWL_ID": brook.segment, "NAME": brook.name, "CLASS": brook.dec_class,
            "IR_CAT": None if brook.into == "" else "2" if brook.dec_class == "B(T)" else "3", "LISTED_303D": "N",
            "POLLUTANTS": None, "TMDL": "N", "TMDL_APPR": None, "TO_SEGMENT": brook.into,
        })  # fmt: skip
        shapes.append(town.land.brooks[brook.segment])
    write_geojson(frame(rows, shapes, crs=DEGREES), path)


def _watersheds(town: Town, path: Path) -> None:
    outside = [brook.segment for brook in plan.BROOKS if brook.into == ""]
    to_lake = [brook.segment for brook in plan.BROOKS if brook.into == plan.LAKE.segment] + [plan.LAKE.segment]
    sheds = watersheds(town)
    rows: list[dict[str, Any]] = [
        {"ID": "WS-1", "NAME": "Tamarack Reservoir watershed", "KIND": "TMDL", "PWL_ID": plan.RESERVOIR.segment,
         "POLLUTANT": "Phosphorus", "APPROVED": "2000-06-30", "SW_REQ": "Y"},
        {"ID": "WS-2", "NAME": "Heron Lake watershed", "KIND": "303(d)", "PWL_ID": plan.LAKE.segment,
         "POLLUTANT": "Pathogens", "APPROVED": None, "SW_REQ": None},
    ]  # fmt: skip
    shapes = [
        shapely.union_all([shed for segment, shed in sheds.items() if segment not in outside]),
        shapely.union_all([sheds[segment] for segment in to_lake]),
    ]
    write_geojson(frame(rows, [_smooth(shape, town.land.town) for shape in shapes], crs=DEGREES), path)


def watersheds(town: Town) -> dict[str, shapely.Geometry]:
    """For each water the ground that is nearer to it than to any other, in and around the town."""
    around = town.land.town.buffer(1500.0)
    waters = {**town.land.brooks, **{segment: pond.exterior for segment, pond in town.land.ponds.items()}}
    spots = {
        segment: shapely.points(shapely.get_coordinates(line.segmentize(150.0))) for segment, line in waters.items()
    }
    owner = [segment for segment, points in spots.items() for _ in points]
    points = [point for segment in spots for point in spots[segment]]
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(points), extend_to=around))
    tree = shapely.STRtree(points)
    cell, point = tree.query(cells, predicate="contains")
    grouped: dict[str, list[shapely.Geometry]] = {}
    for k, n in zip(cell.tolist(), point.tolist(), strict=True):
        grouped.setdefault(owner[n], []).append(cells[k])
    return {segment: shapely.union_all(parts).intersection(around) for segment, parts in grouped.items()}


def _smooth(shape: shapely.Geometry, town: shapely.Polygon) -> MultiPolygon:
    """The ground with its corners rounded, as a divide runs, and without scraps."""
    rounded = shape.buffer(280.0).buffer(-560.0).buffer(280.0).simplify(12.0).intersection(town)
    return MultiPolygon([part for part in shapely.get_parts(rounded) if part.area > 1e6])


def _roads(town: Town, path: Path) -> None:
    rows: list[dict[str, Any]] = []
    shapes = []
    for road in town.land.roads:
        for piece in road.pieces:
            kind = road.street.kind
            rows.append({
                "ROAD_ID": f"R{len(rows) + 1:04d}", "NAME": road.street.name, "CLASS": kind, "SPEED": SPEED_MPH[kind],
                "ONEWAY": "N", "PRIVATE": "Y" if kind == plan.PRIVATE else "N",
            })  # fmt: skip
            shapes.append(piece)
    write_zipped_shapefile(frame(rows, shapes), path)


def _boundary(town: Town, path: Path) -> None:
    rows = [{"ID": "BOUNDARY", "NAME": "Town of North Salem (synthetic sample)"}]
    write_geojson(frame(rows, [MultiPolygon([town.land.town])], crs=DEGREES), path)


def _facilities(town: Town, path: Path) -> None:
    own, general = "NPDES Individual Permit", "General Permit Covered Facility"
    listed = (
        ("FAC-01", "Town Highway Garage", "Highway garage", "", "", "", "", "Y", "high"),
        ("FAC-02", "Town Hall", "Office", "", "", "", "", "Y", "low"),
        ("FAC-03", "Lake Sewer District Plant", "Sewage treatment", "NYX000003", own, "Effective", "Y", "Y", "high"),
        ("FAC-04", "Tannery Works (sample)", "Manufacturing", "NYX000004", general, "Expired", "N", "N", ""),
        ("FAC-05", "Imaginary Landscape Supply", "Nursery", "NYX000005", general, "Effective", "N", "N", ""),
        ("FAC-06", "Heron Lake Marina (sample)", "Marina", "NYX000006", general, "Terminated", "", "N", ""),
    )
    names = (
        "SourceID", "CWPName", "KIND", "PERMIT_ID", "CWPPermitTypeDesc", "CWPPermitStatusDesc", "PROOF_ON_FILE", "MUNICIPAL",
        "PRIORITY",
    )  # fmt: skip
    spots = [town.parcel_of(each[1]).ground.representative_point().coords[0] for each in listed]
    rows = [
        dict(zip(names, each, strict=True)) | {"FacLat": f"{lat:.7f}", "FacLong": f"{lon:.7f}"}
        for each, (lon, lat) in zip(listed, lonlat(spots), strict=True)
    ]
    write_csv(rows, path)


def _drain_records(town: Town, path: Path) -> None:
    rows = []
    for each in town.records:
        lon, lat = lonlat([each.xy])[0] if each.xy else ("", "")
        rows.append({
            "DRAIN_ID": each.id, "SWIS_SBL": each.premises, "CONNECTED_TO": each.connected_to, "CARRIES": each.carries,
            "RECORD": each.kind, "RECORD_REF": each.reference, "APPROVED_BY": each.approved_by, "APPROVED_ON": each.approved_on,
            "FOUND_ON": each.found_on, "RECORDS_SEARCHED": each.searched, "LATITUDE": lat, "LONGITUDE": lon,
        })  # fmt: skip
    write_xlsx(rows, path, sheet="Drains")
