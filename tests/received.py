"""Files as a town would send them, written small, and imports of them in memory: for the tests of the import room."""

from __future__ import annotations

import hashlib
import json
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import hypothesis
import openpyxl
import pytest
import shapely

from layers.crosswalk import parse_crosswalk
from layers.errors import MS4Error, SourceError
from layers.ingest import Report, Request, ingest
from layers.settings import Settings, parse_settings
from layers.sources import Features, open_source, read_features

X, Y = 739_288.57, 910_705.22
"""The point -73.6, 41.33 in EPSG:2260, feet."""
LON, LAT = -73.6, 41.33
BOUNDS = [-73.67, 41.29, -73.52, 41.38]

Frames = dict[str, gpd.GeoDataFrame]
untimed = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
"""For properties: no test fails because a machine is slow."""


def settings(**changes: Any) -> Settings:
    """A town in EPSG:2260 with bounds around the point."""
    return parse_settings({"name": "Testwick", "crs": "EPSG:2260", "bounds": BOUNDS, **changes})


def near(dx: float = 0.0, dy: float = 0.0) -> shapely.Point:
    """A point so many feet east and north of the point."""
    return shapely.Point(X + dx, Y + dy)


def line(*offsets: tuple[float, float]) -> shapely.LineString:
    """A line through places so many feet east and north of the point."""
    return shapely.LineString([(X + dx, Y + dy) for dx, dy in offsets])


def lot(*offsets: tuple[float, float]) -> shapely.Polygon:
    """An area with corners so many feet east and north of the point."""
    return shapely.Polygon([(X + dx, Y + dy) for dx, dy in offsets])


def frame(shapes: Sequence[Any], *, crs: Any = 2260, **columns: Sequence[Any]) -> gpd.GeoDataFrame:
    """Features with the columns given."""
    return gpd.GeoDataFrame(dict(columns), geometry=gpd.GeoSeries(list(shapes), crs=crs), crs=crs)


def write(path: Path, features: gpd.GeoDataFrame, **options: Any) -> Path:
    """The features in a file of the kind that its ending says; what the writer warns of is what the tests are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        driver = {"driver": "OpenFileGDB"} if path.suffix == ".gdb" else {}
        features.to_file(path, engine="pyogrio", **driver, **options)
    return path


def basins(path: Path, *, crs: Any = 2260, ids: Sequence[Any] = ("CB-1", "CB-2", "CB-3"), **columns: Any) -> Path:
    """Catch basins in a row, 50 ft apart, in a file; `crs` None leaves the CRS out."""
    shapes = [near(50 * at, 0) for at in range(len(ids))]
    features = frame(shapes, CB_ID=list(ids), **columns)
    return write(
        path, features if crs == 2260 else features.to_crs(crs) if crs else features.set_crs(None, allow_override=True)
    )


def text(path: Path, *lines: str, encoding: str = "utf-8") -> Path:
    """A text file."""
    path.write_bytes("\n".join([*lines, ""]).encode(encoding))
    return path


def geojson(path: Path, *features: tuple[Mapping[str, Any], Any], **members: Any) -> Path:
    """A GeoJSON file from (properties, geometry as GeoJSON or None)."""
    made = [{"type": "Feature", "properties": dict(known), "geometry": shape} for known, shape in features]
    path.write_text(json.dumps({"type": "FeatureCollection", **members, "features": made}), encoding="utf-8")
    return path


def workbook(path: Path, *rows: Sequence[Any], sheet: str = "Sheet1") -> Path:
    """A workbook with one sheet."""
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in rows:
        book.active.append(list(row))
    book.save(path)
    return path


def zipped(path: Path, *members: Path, into: str = "") -> Path:
    """An archive of files."""
    with zipfile.ZipFile(path, "w") as archive:
        for each in members:
            archive.write(each, into + each.name)
    return path


def parts(shp: Path) -> list[Path]:
    """All files of a shapefile."""
    return sorted(shp.parent.glob(f"{shp.stem}.*"))


def take(
    path: Path,
    layer: str | None = "catch_basins",
    layers: Frames | None = None,
    *,
    town: Settings | None = None,
    **asked: Any,
) -> tuple[Frames, Report]:
    """The layers after an import by aliases, and its report."""
    made, reports = ingest(Request(path, layer=layer, **asked), layers or {}, town or settings())
    return made, reports[0]


def take_by(path: Path, crosswalk: Mapping[str, Any], layers: Frames | None = None) -> tuple[Frames, list[Report]]:
    """The layers after an import by a crosswalk, and its reports."""
    known = parse_crosswalk(crosswalk, name="test.toml")
    return ingest(Request(path, crosswalk=known), layers or {}, settings())


def codes(report: Report) -> set[str]:
    """The codes of a report's warnings."""
    return {code for code, _ in report.warnings}


def told(report: Report, code: str) -> str:
    """What a report says under the code of a warning."""
    return next(text for each, text in report.warnings if each == code)


def ids(layers: Frames, layer: str = "catch_basins") -> list[str]:
    """The ids of a layer in their order."""
    return list(layers[layer].index)


def hashes(folder: Path) -> dict[str, str]:
    """Every file of a folder by its hash."""
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def read(path: Path, layer: str | None = None, **asked: str) -> Features:
    source = open_source(path)
    return read_features(source, source.layer(layer), **asked)


def noted(features: Features) -> dict[str, str]:
    return dict(features.notes)


def refused(path: Path, code: str, **asked: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        open_source(path, **asked)
    assert caught.value.code == code
    assert caught.value.hint
    return caught.value


def not_taken(path: Path, code: str, layer: str = "catch_basins", **asked: Any) -> MS4Error:
    with pytest.raises(MS4Error) as caught:
        take(path, layer, **asked)
    assert caught.value.code == code
    assert caught.value.hint
    return caught.value


def relabelled(path: Path, *, really: int, said: int) -> Path:
    """Basins whose numbers are in one CRS and whose file says another."""
    shapes = (
        gpd.GeoSeries([near(50 * at) for at in range(3)], crs=2260).to_crs(really).set_crs(said, allow_override=True)
    )
    return write(path, gpd.GeoDataFrame({"CB_ID": ["1", "2", "3"]}, geometry=shapes))
