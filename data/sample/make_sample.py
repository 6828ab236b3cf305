"""Makes the sample town's files again: `python data/sample/make_sample.py [FOLDER]`; the same seed, the same files."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
from maker.events import make_events
from maker.faults import plant_network_faults
from maker.file_faults import plant_outfall_faults, plant_parcel_faults, plant_structure_faults
from maker.files import write_json
from maker.land import make_land
from maker.laying import make_drainage
from maker.listing import fill_readme, render_table, write_planted
from maker.lots import make_lots
from maker.planted import Town
from maker.records import make_drain_records
from maker.roll import make_roll
from maker.tables import write_all

SEED = 194
HERE = Path(__file__).resolve().parent


def make_town() -> tuple[Town, list[dict[str, object]]]:
    """The whole sample town and its events; each part has its own stream of random numbers."""
    ground, lots, drains, roll = np.random.default_rng(SEED).spawn(4)
    land = make_land(ground)
    parcels = make_roll(make_lots(land, lots), land, roll)
    town = Town(land, parcels, make_drainage(land, drains))
    plant_outfall_faults(town)
    make_drain_records(town)
    events = make_events(town)
    plant_network_faults(town, spared=_spared(town))
    plant_structure_faults(town)
    plant_parcel_faults(town)
    return town, events


def _spared(town: Town) -> set[str]:
    """Everything that a suspicion or a control leans on: no other fault may blur what the product is to say of it."""
    return {record.connected_to for record in town.records} | {each.id for each in town.planted}


def make_sample(folder: Path) -> None:
    """Writes the files, the events and the list of what was planted into the folder."""
    town, events = make_town()
    write_all(town, folder / "files", np.random.default_rng(SEED + 1))
    write_json(events, folder / "events.json")
    write_planted(town.planted, folder / "planted.toml")


def update_readme() -> None:
    """Puts the list of what was planted into the README."""
    planted = tomllib.loads((HERE / "planted.toml").read_text(encoding="utf-8"))["planted"]
    fill_readme(HERE / "README.md", render_table(planted))


if __name__ == "__main__":
    make_sample(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
    if len(sys.argv) == 1:
        update_readme()
