"""Layers: what is loaded and how complete it is, the reports of all imports, and the import of one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from layers.crosswalk import load_crosswalk
from layers.ingest import Report as ImportReport
from layers.ingest import Request
from layers.schema import LAYERS, schema
from layers.sources import open_source
from mapping import pipeline, server
from mapping.outputs import tables, uploads
from mapping.pages import show
from mapping.pages.refusals import CRS_BY_LABEL, CRS_LABEL, INSIDE_LABEL, LAYER_LABEL, READ_LABEL
from mapping.pages.show import bullets, put, tag

BY_ALIASES = "by the names of its fields"


def main() -> None:
    """Shows what is loaded, then how to load more."""
    desk = server.open_desk()
    listed = pipeline.list_layers(desk.folder)
    show.heading("Layers", f"{len(listed)} of {len(LAYERS)} kinds of layer are loaded")
    if listed:
        _loaded(listed)
    else:
        show.empty("No layer is loaded yet.", "Send the boundary first: every other file is checked against it.")
    _import(desk)
    reports = pipeline.list_imports(desk.folder)
    if reports:
        put(tag("h2", f"Imports ({len(reports)}), the newest first"))
        st.dataframe(tables.import_rows(reports), hide_index=True, key="imports")


def _loaded(listed: Sequence[Mapping[str, Any]]) -> None:
    st.caption("Choose a row to see how much of each field is known.")
    picked: Any = st.dataframe(
        tables.layer_rows(listed), hide_index=True, on_select="rerun", selection_mode="single-row", key="loaded"
    )
    for number in picked.selection.rows:
        put(tag("h2", f"{schema(listed[number]['layer']).title}: share of rows in which a field is known"))
        st.dataframe(tables.field_rows(listed[number]), hide_index=True, key="fields")


def _import(desk: server.Desk) -> None:
    """One file: what it is, a report of what would happen, and only then the import."""
    put(tag("h2", "Import a file"))
    if done := st.session_state.pop("imported", ""):
        st.success(f"{show.plain(done)} is imported; its report is the first below.")
    sent = st.file_uploader(
        "A zipped shapefile or geodatabase, GeoPackage, GeoJSON, CSV or Excel file",
        type=[each[1:] for each in uploads.KINDS],
        key=f"sent_{st.session_state.get('imports', 0)}",
    )
    held: Path | None = st.session_state.get("held")
    if sent is None:
        if held is not None:
            uploads.let_go(st.session_state.pop("held"))
        return
    with show.faults():
        path = uploads.hold(desk.folder, sent.name, sent.getvalue())
        if held is not None and held.parent != path.parent:
            uploads.let_go(held)
        st.session_state["held"] = path
        _import_held(desk, path)


def _import_held(desk: server.Desk, path: Path) -> None:
    request, crosswalk = _ask(desk, path)
    if request.layer is None and request.crosswalk is None:
        show.empty("Say what the file holds.", f"Choose a layer under “{LAYER_LABEL}”.")
        return
    by = show.ask_name("import_by")
    if st.button("See what would change", key="dry_run"):
        found = _run(desk, request, crosswalk, by=by, dry_run=True)
        st.session_state["would"] = (str(request), [each.to_json() for each in found])
    asked, reports = st.session_state.get("would", ("", []))
    if asked != str(request):
        return
    _report(reports)
    if not all(map(tables.says_something, reports)):
        st.error("No field of the file is known to this layer, and nothing in it has a place. Choose another layer.")
        return
    for each in filter(tables.is_mostly_rejected, reports):
        title = show.plain(schema(each["layer"]).title)
        st.warning(
            f"{title}: only {each['kept']:,} of {each['read']:,} rows would be taken. Read why before you accept."
        )
    if st.button("Accept and import", type="primary", key="accept") and show.is_named(by):
        with st.spinner("Importing, and making the joins anew"):
            _run(desk, request, crosswalk, by=by)
        uploads.let_go(st.session_state.pop("held"))
        st.session_state.update(imported=path.name, imports=st.session_state.get("imports", 0) + 1, would=("", []))
        st.rerun()


def _run(
    desk: server.Desk, request: Request, crosswalk: Path | None, *, by: str, dry_run: bool = False
) -> Sequence[ImportReport]:
    return pipeline.import_source(
        desk.folder, request, by=by, on=desk.picture.on, crosswalk_file=crosswalk, dry_run=dry_run
    )


def _ask(desk: server.Desk, path: Path) -> tuple[Request, Path | None]:
    """How the file is to be read: which layer of it, as what, and where it lies if it does not say so itself."""
    inside = open_source(path).layers
    kept = {each.name: each for each in sorted((desk.folder / "crosswalks").glob("*.toml"))}
    with st.container(horizontal=True):
        source_layer = st.selectbox(INSIDE_LABEL, [each.name for each in inside]) if len(inside) > 1 else None
        how = st.selectbox(READ_LABEL, [BY_ALIASES, *kept])
        by_aliases = how == BY_ALIASES
        as_layer = (
            st.selectbox(LAYER_LABEL, LAYERS, index=None, format_func=lambda each: schema(each).title)
            if by_aliases
            else None
        )
    with st.expander("The file does not say where it lies"):
        crs = st.text_input(CRS_LABEL, placeholder="EPSG:2260")
        crs_by = st.text_input(CRS_BY_LABEL)
    crosswalk = None if by_aliases else load_crosswalk(kept[how])
    request = Request(
        path, layer=as_layer, crosswalk=crosswalk, source_layer=source_layer, crs=crs.strip(), crs_by=crs_by.strip()
    )
    return request, kept.get(how)


def _report(reports: Sequence[Mapping[str, Any]]) -> None:
    """What the import would do, layer by layer."""
    st.dataframe(tables.import_rows(reports), hide_index=True, key="would")
    for each in reports:
        put(tag("h2", schema(each["layer"]).title), bullets(tables.import_lines(each)))


if __name__ == "__main__":
    main()
