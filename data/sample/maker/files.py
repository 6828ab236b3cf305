"""The sample town's files as a town would send them: every sender another format, CRS and set of field names."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import openpyxl
import pyogrio
import shapely
from shapely.affinity import translate

FEET, METRES, DEGREES = "EPSG:2260", "EPSG:26918", "EPSG:4326"
ORIGIN = (739_288.57, 910_705.22)
"""The plan's middle (-73.60, 41.33) in EPSG:2260."""
DAY = "2026-11-30T12:00:00.000Z"
"""Stands in every file as the day of writing, so that the same seed makes the same bytes."""
ZIP_DAY = (2026, 11, 30, 12, 0, 0)

Row = Mapping[str, Any]


def frame(rows: Sequence[Row], shapes: Iterable[shapely.Geometry | None], *, crs: str = FEET) -> gpd.GeoDataFrame:
    """Rows with their shapes moved from the plan to where the town lies, in the CRS asked for."""
    placed = [None if shape is None else translate(shape, *ORIGIN) for shape in shapes]
    return gpd.GeoDataFrame(list(rows), geometry=gpd.GeoSeries(placed, crs=FEET), crs=FEET).to_crs(crs)


def lonlat(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Longitude and latitude of points of the plan, to seven decimals."""
    series = gpd.GeoSeries([shapely.Point(x + ORIGIN[0], y + ORIGIN[1]) for x, y in points], crs=FEET).to_crs(DEGREES)
    return [(round(point.x, 7), round(point.y, 7)) for point in series]


def write_zipped_shapefile(layer: gpd.GeoDataFrame, path: Path) -> None:
    """A shapefile with all its parts in one zip."""
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / f"{path.stem}.shp"
        pyogrio.write_dataframe(layer, inner, layer_options={"DBF_DATE_LAST_UPDATE": DAY[:10], "RESIZE": "YES"})
        parts = {each.name: each.read_bytes() for each in sorted(Path(folder).iterdir())}
    _pack(path, parts)


def write_geopackage(layers: Mapping[str, gpd.GeoDataFrame], path: Path) -> None:
    """A GeoPackage with the layers given."""
    path.unlink(missing_ok=True)
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": DAY})
    for name, layer in layers.items():
        pyogrio.write_dataframe(layer, path, layer=name, driver="GPKG", geometry_type="Unknown", promote_to_multi=False)
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": None})


def write_geojson(layer: gpd.GeoDataFrame, path: Path) -> None:
    """GeoJSON as RFC 7946 wants it: longitude and latitude, seven decimals, rings to the right, no crs member."""
    options = {"RFC7946": "YES", "COORDINATE_PRECISION": "7"}
    pyogrio.write_dataframe(layer, path, driver="GeoJSON", layer_options=options)


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """A CSV as a spreadsheet saves it."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode())


def write_xlsx(rows: Sequence[Row], path: Path, *, sheet: str) -> None:
    """A workbook with one sheet, every cell text so that no zero is lost."""
    book = openpyxl.Workbook()
    page = book.active
    page.title = sheet
    page.append(list(rows[0]))
    for row in rows:
        page.append([str(value) if value != "" else None for value in row.values()])
    for cell in (cell for line in page.iter_rows() for cell in line):
        cell.number_format = "@"
    raw = io.BytesIO()
    book.save(raw)
    with zipfile.ZipFile(raw) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["docProps/core.xml"] = _without_clock(parts["docProps/core.xml"])
    _pack(path, parts)


def _without_clock(core: bytes) -> bytes:
    """The workbook's properties with the day of making fixed."""
    text = core.decode()
    for tag in ("dcterms:created", "dcterms:modified"):
        start = text.find(">", text.find(f"<{tag}")) + 1
        text = text[:start] + f"{DAY[:19]}Z" + text[text.find(f"</{tag}>") :]
    return text.encode()


def write_json(value: object, path: Path) -> None:
    """Indented JSON."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _pack(path: Path, parts: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, ZIP_DAY)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=9)
