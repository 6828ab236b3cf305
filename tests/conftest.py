"""What tests share: the sample town, built once, and copies of it for tests that change something."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from mapping import pipeline

ON = date(2026, 11, 30)
"""The day on which the sample town stands."""


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample town, made once: read it, never change it."""
    folder = tmp_path_factory.mktemp("towns") / "sample"
    pipeline.make_demo(folder, on=ON)
    return folder


@pytest.fixture
def own_sample(sample: Path, tmp_path: Path) -> Path:
    """A copy of the sample town that a test may change."""
    return Path(shutil.copytree(sample, tmp_path / "sample"))


@pytest.fixture(scope="session")
def picture(sample: Path) -> pipeline.Picture:
    """The sample town with its findings and cases on 30 November 2026."""
    return pipeline.take_picture(sample, ON)
