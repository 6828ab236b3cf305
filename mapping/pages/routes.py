"""Routes: what is due for a visit, put in order over the town's roads, as tables and as files for the truck."""

from __future__ import annotations

import streamlit as st

from mapping import pipeline, server
from mapping.outputs import tables
from mapping.outputs.due import due_locations
from mapping.outputs.places import around, start_of
from mapping.outputs.plan import Plan
from mapping.outputs.route import plan_route
from mapping.outputs.stops import write_route
from mapping.pages import show
from mapping.pages.show import bullets, put, tag


def main() -> None:
    """Asks for the day, the crews and the start; shows the plan and gives its files."""
    desk = server.open_desk()
    due = due_locations(desk.town, pipeline.open_permit(desk.town.settings), desk.picture.on)
    show.heading("Routes", f"{len(due)} monitoring locations are due for a visit")
    if not desk.town.has("outfalls"):
        show.empty("No outfall is loaded.", "Import the outfalls on the page Layers.")
        return
    if not due:
        show.empty(
            "Nothing is due today.", "Record inspections on the map; what they find decides when the next is due."
        )
        return
    _ask(desk)
    plan = st.session_state.get("plan")
    if isinstance(plan, Plan) and plan.town == desk.town.name:
        _show(desk, plan)


def _ask(desk: server.Desk) -> None:
    lon, lat = start_of(desk.town)
    west, south, east, north = around(desk.town)
    with st.form("route"):
        one, two, three, four, five = st.columns([2, 1, 1, 2, 2])
        on = one.date_input("Day", value=desk.picture.on, format="YYYY-MM-DD")
        crews = two.number_input("Crews", min_value=1, max_value=8, value=1)
        hours = three.number_input("Hours", min_value=1.0, max_value=12.0, value=7.0, step=0.5)
        x = four.number_input("Start, longitude", west, east, value=lon, format="%.5f", step=0.001)
        y = five.number_input("Start, latitude", south, north, value=lat, format="%.5f", step=0.001)
        if st.form_submit_button("Plan the route", type="primary"):
            st.session_state.update(plan=None, plan_files=[])
            due = due_locations(desk.town, pipeline.open_permit(desk.town.settings), on)
            with show.faults():
                plan = plan_route(desk.town, start=(x, y), due=due, on=on, crews=int(crews), hours=float(hours))
                files = write_route(plan, desk.folder / "outputs" / f"route-{on.isoformat()}")
                st.session_state.update(plan=plan, plan_files=files)


def _show(desk: server.Desk, plan: Plan) -> None:
    put(bullets(tables.crew_lines(plan)), bullets(plan.notes))
    put(tag("p", f"Dry weather before the visit: {plan.dry_weather}", cls="ms4-note"))
    with st.container(horizontal=True):
        show.downloads(st.session_state.get("plan_files", []))
    rows = tables.stop_rows(plan)
    if rows:
        st.dataframe(rows, hide_index=True, key="stops")
    left = tables.left_rows(plan)
    if left:
        put(tag("h2", f"Due, and not on the route ({len(left)})"))
        st.dataframe(left, hide_index=True, key="left")


if __name__ == "__main__":
    main()
