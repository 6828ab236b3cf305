"""Imports run one way, files keep to their room, and every module says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STAGES = (
    "layers.errors", "layers.records", "layers.tolerances", "layers.crs", "layers.settings", "layers.schema",
    "layers.sources", "layers.crosswalk", "layers.conform", "layers.clean", "layers.ingest", "layers.joins",
    "layers.overlay", "layers.town", "layers.store", "layers.received", "layers.build",
    "layers.trace", "layers.terrain", "layers.document", "layers",
    "mapping.words", "mapping.law", "mapping.register", "mapping.ms4", "mapping.screening", "mapping.conditions",
    "mapping.findings", "mapping.cases", "mapping.chain", "mapping.freeze", "mapping.outputs", "mapping.pipeline",
    "mapping.server",
    "mapping.pages", "mapping.commands", "mapping.__main__", "mapping", "app",
)  # fmt: skip
"""The rooms in the order in which a fact walks through them; a room imports from itself and from those before it."""
MAY_OPEN_FILES = ("layers.sources", "layers.store", "layers.received",
                  "layers.settings", "layers.schema", "layers.crosswalk", "mapping.law",
                  "mapping.register", "mapping.outputs", "mapping.screening", "mapping.findings", "mapping.pipeline",
                  "mapping.commands", "mapping.server", "mapping.pages")  # fmt: skip
ONLY = {
    "folium": ("mapping.outputs.webmap",),
    "streamlit": ("mapping.pages", "mapping.server", "app"),
    "sqlalchemy": ("mapping.register",),
    "sqlite3": ("mapping.register",),
    "fiona": ("layers.sources",),
    "pyogrio": ("layers.sources", "layers.store"),
    "rasterio": ("layers.sources",),
}
"""Who alone may import a package."""


def modules() -> Iterator[tuple[str, Path]]:
    for path in [ROOT / "app.py", *sorted((ROOT / "layers").rglob("*.py")), *sorted((ROOT / "mapping").rglob("*.py"))]:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


MODULES = dict(modules())


def stage(module: str) -> int:
    fitting = [name for name in STAGES if module == name or module.startswith(name + ".")]
    if not fitting or (max(fitting, key=len) in ("layers", "mapping") and module not in ("layers", "mapping")):
        pytest.fail(f"{module} has no stage: name it in STAGES, where a fact comes through it")
    return STAGES.index(max(fitting, key=len))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names if f"{node.module}.{each.name}" in MODULES)


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_one_way(module: str) -> None:
    ours = {name for name in imports(MODULES[module]) if name.split(".")[0] in ("layers", "mapping", "app")}
    upward = {name for name in ours - {"layers", "mapping"} if stage(name) > stage(module)}
    assert not upward, f"{module} imports {sorted(upward)}, which come after it"


@pytest.mark.parametrize("module", MODULES)
def test_a_package_is_imported_by_its_owner_alone(module: str) -> None:
    for name in imports(MODULES[module]):
        owners = ONLY.get(name.split(".")[0])
        assert owners is None or module.startswith(owners), f"{module} imports {name}, which is for {owners}"


@pytest.mark.parametrize("module", MODULES)
def test_only_the_crs_room_reprojects(module: str) -> None:
    made = {call for call in calls(MODULES[module]) if call.endswith((".to_crs", "Transformer.from_crs"))}
    assert module == "layers.crs" or not made, f"{module} reprojects with {sorted(made)}: ask layers.crs"


@pytest.mark.parametrize("module", MODULES)
def test_only_the_doors_ask_what_day_it_is(module: str) -> None:
    asked = {call for call in calls(MODULES[module]) if call in ("date.today", "datetime.today", "time.time")}
    assert module.startswith(("mapping.__main__", "mapping.pages", "mapping.server")) or not asked


@pytest.mark.parametrize("module", MODULES)
def test_only_some_rooms_touch_files(module: str) -> None:
    words = ("open", "read_text", "write_text", "read_bytes", "write_bytes", "unlink", "mkdir", "copyfile", "rmtree")
    opened = {call for call in calls(MODULES[module]) if call == "open" or call.rpartition(".")[2] in words[1:]}
    assert module.startswith(MAY_OPEN_FILES) or not opened, f"{module} touches files: {sorted(opened)}"


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_caption(module: str) -> None:
    assert ast.get_docstring(ast.parse(MODULES[module].read_text(encoding="utf-8"))), f"{module} has no caption"
