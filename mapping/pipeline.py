"""The whole flow on one page, read this first: files → layers → joins → town → findings and cases → outputs."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import geopandas as gpd

from layers.crosswalk import load_crosswalk
from layers.crs import name_crs, parse_working_crs
from layers.errors import CallError, FieldError, SourceError, StoreError
from layers.ingest import Report as ImportReport
from layers.ingest import Request, ingest
from layers.ingest.gate import town_envelope
from layers.joins.sewersheds import Sewersheds, make_sewersheds, replace_made
from layers.overlay import TOUCHING_JOINS, lay_over, read_asset
from layers.received import keep_source
from layers.records import Record, Records
from layers.schema import LAYERS, schema
from layers.settings import FILE as TOWN_FILE
from layers.settings import Settings, load_settings, parse_bounds, render_settings
from layers.sources.elevation import read_heights
from layers.store import Facts, digest, locked, read_facts, write_facts
from layers.terrain import around_drains, make_terrain_sewersheds
from layers.town import Town, make_joins
from layers.trace import Trace, find_subject
from mapping.cases.case import Case, check_order, list_cases, open_case
from mapping.findings import Report, check
from mapping.freeze import freeze
from mapping.law import Law, Permit, load_law, load_permit
from mapping.register import Register
from mapping.screening import validate_observation

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
FOLDERS = ("crosswalks", "sources", "attachments", "outputs")
Step = Callable[[str], None]
"""Told the name of each step of long work as it begins."""


def _silent(step: str) -> None:
    """Tells nobody."""


# -- 1. a town is a folder


def create_town(
    folder: Path, *, name: str, crs: str = "EPSG:2260", bounds: str = "", law: str = "", permit: str = ""
) -> Settings:
    """A new town folder with its settings, an empty register and no layers yet; refuses a folder that holds something."""
    if not name.strip():
        raise CallError("a town needs a name", hint="give --name")
    box = parse_bounds(bounds.split(","), where="--bounds") if bounds else None
    settings = Settings(name=name, crs=parse_working_crs(crs), bounds=box)
    settings = replace(settings, law=law or settings.law, permit=permit or settings.permit)
    load_law(settings.law), load_permit(settings.permit)
    with _new_folder(folder, render_settings(settings, crs=name_crs(settings.crs))):
        return settings


@contextmanager
def _new_folder(folder: Path, town_toml: str) -> Iterator[Path]:
    """A town folder made beside, to be filled, and renamed at the end: there is a whole one or none."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreError(f"{folder} is there already and not empty", hint="choose a new folder", code="exists")
    beside = folder.absolute().with_name(f".{folder.absolute().name}.new")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        for each in FOLDERS:
            (beside / each).mkdir()
        (beside / TOWN_FILE).write_text(town_toml, encoding="utf-8")
        Register.create(beside)
        yield beside
        if folder.exists():
            folder.rmdir()
        beside.rename(folder.absolute())
    except OSError as fault:
        raise StoreError(f"{folder} cannot be made: {fault}", hint="check the path and who may write there") from fault
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def make_demo(folder: Path, *, on: date, tell: Step = _silent) -> Settings:
    """The sample town: a new folder, every file of `data/sample` imported, and the sample's events in its register."""
    listed = tomllib.loads((SAMPLE / "imports.toml").read_text(encoding="utf-8"))["import"]
    with _new_folder(folder, (SAMPLE / TOWN_FILE).read_text(encoding="utf-8")) as new:
        import_sources(new, [_sample_import(each) for each in listed], by="Sample Clerk (invented)", on=on, tell=tell)
        tell("events")
        record_events(new, json.loads((SAMPLE / "events.json").read_text(encoding="utf-8")))
        return load_settings(new)


def _sample_import(raw: Mapping[str, str]) -> tuple[Request, Path | None]:
    path = SAMPLE / "files" / raw["file"]
    kept = SAMPLE / "crosswalks" / raw["crosswalk"] if "crosswalk" in raw else None
    crosswalk = load_crosswalk(kept) if kept else None
    return Request(path, layer=raw.get("as"), crosswalk=crosswalk, source_layer=raw.get("source_layer")), kept


# -- 2. files in


def import_source(
    folder: Path,
    request: Request,
    *,
    by: str,
    on: date,
    crosswalk_file: Path | None = None,
    dry_run: bool = False,
    tell: Step = _silent,
) -> list[ImportReport]:
    """Imports one source and builds the joins anew; a dry run reports what would happen and changes nothing."""
    return import_sources(folder, [(request, crosswalk_file)], by=by, on=on, dry_run=dry_run, tell=tell)


def import_sources(
    folder: Path,
    wanted: Sequence[tuple[Request, Path | None]],
    *,
    by: str,
    on: date,
    dry_run: bool = False,
    tell: Step = _silent,
) -> list[ImportReport]:
    """Imports several sources in their order; either all of them are in `layers.gpkg` afterwards, or none."""
    settings = load_settings(folder)
    Register.open(folder)  # a town whose register is damaged takes nothing in
    with locked(folder):
        facts = read_facts(folder, settings.crs)
        layers, reports = dict(facts.layers), []
        for request, _ in wanted:
            tell(request.path.name)
            layers, made = ingest(request, layers, settings)
            _refuse_nothing_kept(request.path.name, made)
            reports += made
        if dry_run:
            return reports
        provenance = {"by": by, "on": on.isoformat(), "at": datetime.now(UTC).isoformat(timespec="seconds")}
        imports = [*facts.imports, *({**provenance, **each.to_json()} for each in reports)]
        tell("joins")
        joins = make_joins(layers, settings)
        tell("writing")
        with _kept_sources(folder, [request.path for request, _ in wanted], provenance):
            write_facts(folder, Facts(layers, joins, imports), settings.crs)
        for _, crosswalk_file in wanted:
            if crosswalk_file is not None:
                _keep_crosswalk(folder, crosswalk_file)
    return reports


@contextmanager
def _kept_sources(folder: Path, paths: Sequence[Path], provenance: Mapping[str, Any]) -> Iterator[None]:
    """The files are kept before the layers speak of them, and let go again if these cannot be written."""
    before = {each.name for each in (folder / "sources").glob("*")}
    try:
        for path in paths:
            keep_source(folder, path, provenance)
        yield
    except BaseException:
        for each in (folder / "sources").glob("*"):
            if each.name not in before:
                shutil.rmtree(each, ignore_errors=True)
        raise


def _refuse_nothing_kept(name: str, reports: Sequence[ImportReport]) -> None:
    """A source of which no feature fits any layer asked for was not meant for it."""
    read, kept = sum(each.read for each in reports), sum(each.kept for each in reports)
    if kept == 0:
        why = ", ".join(sorted({code for each in reports for code in each.notes.rejected})) or "none taken"
        raise SourceError(
            f"none of {read:,} features of {name} fits {', '.join(each.layer for each in reports)}: {why}",
            hint="check the layer, or the crosswalk's `where`",
            code="source_unfit",
        )


def _keep_crosswalk(folder: Path, path: Path) -> None:
    kept = folder / "crosswalks" / path.name
    if not kept.exists() or not kept.samefile(path):
        kept.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, kept)


# -- 3. the town: imported facts + what the Town asserts


def open_town(folder: Path) -> Town:
    """The town as it stands: facts and joins from `layers.gpkg`, the register's assertions laid over them."""
    settings = load_settings(folder)
    facts = read_facts(folder, settings.crs)
    records = Register.open(folder).records()
    layers: Mapping[str, gpd.GeoDataFrame] = facts.layers
    joins = facts.joins
    if joins is None or records.of(*TOUCHING_JOINS):
        layers = lay_over(layers, records, settings.crs)
        joins = make_joins(layers, settings, records)
    links = (joins.premises_links, joins.water_links, joins.watershed_links)
    return Town(settings, layers, *links, joins.network, records, folder)


def list_layers(folder: Path) -> list[dict[str, Any]]:
    """What each layer holds, from which sources, when it came in, and which share of each field is known."""
    town = open_town(folder)
    imported = {each["layer"]: each["on"] for each in read_facts(folder, town.crs).imports}
    return [_described(town.layer(name), name, imported.get(name)) for name in LAYERS if town.has(name)]


def _described(frame: gpd.GeoDataFrame, name: str, imported: str | None) -> dict[str, Any]:
    known = {
        each.name: round(float((frame[each.name].notna() & ~frame[each.name].isin(["", "unknown"])).mean()), 4)
        for each in schema(name).fields
    }
    return {
        "layer": name,
        "count": len(frame),
        "unlocated": int(frame.geometry.isna().sum()),
        "source": sorted(set(frame["source"].astype(str)) - {""}),
        "imported": imported,
        "complete": known,
    }


def make_town_sewersheds(folder: Path, *, dem: Path | None = None, height_unit: str = "") -> list[Sewersheds]:
    """The preliminary sewersheds from premises and, where a DEM is given, from terrain, into the layer `sewersheds`.

    Rows that somebody sent or surveyed stay as they are; rows made before are replaced.
    """
    town = open_town(folder)
    made = [make_sewersheds(town)]
    if dem is not None:
        made.append(make_terrain_sewersheds(town, read_heights(dem, around_drains(town), height_unit=height_unit)))
    with locked(folder):
        facts = read_facts(folder, town.crs)
        layer = facts.layers.get("sewersheds", schema("sewersheds").empty(town.crs))
        for each in made:
            layer = replace_made(layer, each.layer)
        write_facts(folder, Facts({**facts.layers, "sewersheds": layer}, facts.joins, facts.imports), town.crs)
    return made


def list_imports(folder: Path) -> list[Mapping[str, Any]]:
    """The reports of all imports, the newest first."""
    return list(reversed(read_facts(folder, load_settings(folder).crs).imports))


# -- 4. what it means


def open_law(settings: Settings) -> Law:
    """The law pack of the town."""
    return load_law(settings.law)


def open_permit(settings: Settings) -> Permit:
    """The permit pack of the town."""
    return load_permit(settings.permit)


def check_town(town: Town, on: date, *, rules: Iterable[str] | None = None) -> Report:
    """The findings of all rules, or of those named, on the day."""
    return check(town, open_law(town.settings), on, rules=rules)


def town_cases(town: Town, on: date, *, until: date | None = None) -> list[Case]:
    """Every case of the town as it stands on the day; with `until` from what had happened by then."""
    return list_cases(town.records, open_law(town.settings), on, readings=town.settings.readings, until=until)


@dataclass(frozen=True)
class Picture:
    """A town with what it means on a day: what every screen and output is made of."""

    town: Town
    report: Report
    cases: Sequence[Case]
    on: date


def take_picture(folder: Path, on: date) -> Picture:
    """The town, its findings and its cases on the day."""
    town = open_town(folder)
    return Picture(town, check_town(town, on), town_cases(town, on), on)


def stamp(folder: Path) -> tuple[str, str]:
    """What a picture rests on: the hash of the layers and of the last event; equal stamps give equal pictures."""
    records: Records = Register.open(folder).records()
    return digest(folder), records.everything[-1].hash if records.everything else ""


# -- 5. what the Town asserts


def record_event(
    folder: Path,
    kind: str,
    *,
    subject: str = "",
    case: str = "",
    on: date | str,
    data: Mapping[str, Any] | None = None,
    by: str,
) -> Record:
    """Appends one event, checked against its kind, its subject, its observation and the order of its case."""
    event = {"kind": kind, "subject": subject, "case": case, "on": on, "data": data or {}, "by": by}
    return record_events(folder, [event])[0]


def record_events(folder: Path, events: Sequence[Mapping[str, Any]]) -> list[Record]:
    """Appends events one after the other; the first that is refused raises and those before it stand."""
    register = Register.open(folder)
    named = any(each.get("subject") or each["kind"] == "asset_recorded" for each in events)
    town = open_town(folder) if named else None
    return [_record(register, town, **each) for each in events]


def open_town_case(
    folder: Path, *, title: str, subject: str, premises: Sequence[str], findings: Sequence[str], on: date, by: str
) -> str:
    """Opens a case about a subject, premises and findings of the town and returns its number."""
    town = open_town(folder)
    for each in filter(None, [subject, *(f"premises:{key}" for key in premises)]):
        find_subject(town, each)
    register = Register.open(folder)
    return open_case(register, title=title, subject=subject, premises=premises, findings=findings, on=on, by=by)


def freeze_trace(town: Town, found: Trace, *, on: date, by: str) -> dict[str, str]:
    """Keeps a trace in the town's register with the hashes of what it rests on; its event's number and those hashes."""
    folder = town.folder
    if folder is None:
        raise CallError("a town that is on no disk keeps no trace", hint="open it from its folder")
    taken_in = [each["source"] for each in read_facts(folder, town.crs).imports]
    sources = [f"{each['name']} sha256:{each['sha256']}" for each in taken_in]
    payload = freeze(town, found, sources=sources)
    record = record_event(folder, "trace_frozen", subject=found.subject, on=on, data=payload, by=by)
    return {
        "id": str(record.seq),
        "hash": record.hash,
        **{name: payload[name] for name in ("inputs", "rules", "result")},
    }


def _record(register: Register, town: Town | None, kind: str, **event: Any) -> Record:
    data, subject = event.get("data") or {}, event.get("subject") or ""
    if kind == "inspection":
        validate_observation(data)
        _check_location(subject, str(data.get("location") or ""))
    if kind == "proposal_accepted" and data.get("proposal") == "join" and town is not None:
        find_subject(town, str(data.get("to") or ""))
    if kind == "asset_recorded" and data.get("layer") in LAYERS and town is not None:
        _check_asset(town, data)
    elif town is not None and subject:
        find_subject(town, subject)
    return register.append(kind, check=check_order, **event)


def _check_location(subject: str, location: str) -> None:
    if location and subject.partition(":")[2] != location:
        raise FieldError(
            f"the sheet is about {location!r}, the event about {subject!r}",
            hint="make the event about the sheet's location",
        )


def _check_asset(town: Town, data: Mapping[str, Any]) -> None:
    """Refuses an asset that its layer cannot take, or that would not lie in the town."""
    row = read_asset(data["layer"], data, town.crs)
    envelope, basis = town_envelope(town.settings, town.layers)
    if row.get("geometry") is not None and not envelope.intersects(row["geometry"]):
        raise FieldError(
            f"asset_recorded, {data['layer']}: its place is not in the town (by {basis})",
            hint="give longitude before latitude, in degrees",
        )
