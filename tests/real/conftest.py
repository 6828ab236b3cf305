"""Three real towns, each imported once: the files beside the repository, the crosswalks kept here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from layers.crosswalk import load_crosswalk
from layers.ingest import Report as ImportReport
from layers.ingest import Request
from layers.town import Town
from mapping import pipeline
from tests.conftest import ON

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
CROSSWALKS = Path(__file__).resolve().parent / "crosswalks"
BANGOR = {
    "ms4District2013.geojson": "bangor_boundary",
    "sanitaryCatchbasin.geojson": "bangor_catch_basins",
    "sanitaryManhole.geojson": "bangor_manholes",
    "sanitaryCso.geojson": "bangor_cso",
    "sanitaryPipe.geojson": "bangor_pipes",
    "ditch.geojson": "bangor_ditches",
    "streams.geojson": "bangor_streams",
    "rivers.geojson": "bangor_rivers",
    "ponds.geojson": "bangor_ponds",
    "roads.geojson": "bangor_roads",
}
RUTLAND = {
    "RutlandCityBorder.geojson": "rutland_boundary",
    "RutlandCityPointFeatures.geojson": "rutland_points",
    "RutlandCityLinearFeatures.geojson": "rutland_lines",
}
JOHNSON = {
    "storm_pts.shp": "johnson_points",
    "storm_lines.shp": "johnson_lines",
    "initial_catchment.shp": "johnson_catchment",
}


@dataclass(frozen=True)
class RealTown:
    """A town as it stands after all its files came in; read it, never change it."""

    folder: Path
    reports: tuple[ImportReport, ...]

    def report(self, source: str, layer: str) -> ImportReport:
        """What the import of one file did to one layer."""
        (found,) = (each for each in self.reports if (each.source["name"], each.layer) == (source, layer))
        return found

    @cached_property
    def town(self) -> Town:
        """The town as it is opened from its folder."""
        return pipeline.open_town(self.folder)

    @cached_property
    def picture(self) -> pipeline.Picture:
        """The town with its findings on 30 November 2026."""
        return pipeline.Picture(self.town, pipeline.check_town(self.town, ON), [], ON)


def files_of(folder: str, crosswalks: Mapping[str, str]) -> list[tuple[Path, Path]]:
    """Pairs of file and crosswalk in the order in which they are imported; skips where the files are not there."""
    if not (DATA / folder).is_dir():
        pytest.skip(f"the public files of {folder} are not in ../shared/data")
    return [(DATA / folder / source, CROSSWALKS / f"{name}.toml") for source, name in crosswalks.items()]


Build = Callable[[str, str, Mapping[str, str]], RealTown]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Makes a town of a folder of files."""

    def make(folder: str, crs: str, crosswalks: Mapping[str, str]) -> RealTown:
        files = files_of(folder, crosswalks)
        town = tmp_path_factory.mktemp("real") / folder
        pipeline.create_town(town, name=folder, crs=crs)
        wanted = [(Request(source, crosswalk=load_crosswalk(kept)), kept) for source, kept in files]
        return RealTown(town, tuple(pipeline.import_sources(town, wanted, by="Test Clerk (invented)", on=ON)))

    return make


@pytest.fixture(scope="session")
def bangor(build: Build) -> RealTown:
    """Bangor, Maine, in the system its files were drawn in: NAD83 / Maine East, US feet."""
    return build("bangor_me", "EPSG:26847", BANGOR)


@pytest.fixture(scope="session")
def rutland(build: Build) -> RealTown:
    """Rutland City, Vermont, in NAD83 / Vermont, US feet."""
    return build("rutland_vt", "EPSG:5646", RUTLAND)


@pytest.fixture(scope="session")
def johnson(build: Build) -> RealTown:
    """Johnson, Vermont, in NAD83 / Vermont, metres, as its files are."""
    return build("johnson_vt", "EPSG:32145", JOHNSON)
