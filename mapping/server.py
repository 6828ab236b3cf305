"""What the app's server knows and hands out: the town of this process, and the routes from which the map reads it.

The map's features are town data: they are given only to a page of this app on this machine (a key that the page gets
through its own session, and a loopback address), never as open files. Roles come with a later form of this module.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from layers.errors import CallError, MS4Error
from layers.settings import load_settings
from layers.town import Town
from mapping import pipeline
from mapping.outputs import mapdata, mapview, places, uploads
from mapping.pipeline import Picture

KEY_HEADER = "x-ms4-key"
POLICY_VIOLATED = 1008
"""What a socket is closed with that may not be opened (RFC 6455, section 7.4.1)."""
LOOPBACK = ("127.0.0.1", "localhost")
SAMPLE_FOLDER = "sample-town"
FROM_HERE_ONLY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; frame-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
"""Content security policy: the browser itself asks nothing of any other host. Streamlit needs inline and eval."""


@dataclass(frozen=True)
class Desk:
    """A town as all screens show it at one moment: equal `version` means an equal picture."""

    folder: Path
    picture: Picture
    version: str
    _drawn: dict[str, bytes] = field(default_factory=dict)

    @property
    def town(self) -> Town:
        """The town."""
        return self.picture.town

    @cached_property
    def places(self) -> tuple[places.Place, ...]:
        """All that can be looked for."""
        return places.index_places(self.town)

    @cached_property
    def layers(self) -> list[dict[str, Any]]:
        """The switches of the map."""
        return mapdata.list_layers(self.town, self.picture.report, self.picture.cases, public=False)

    def features(self, layer: str) -> bytes:
        """One layer of the map as GeoJSON, made once; CallError for a layer that the map does not have."""
        if layer not in self._drawn:
            found = mapdata.features(self.town, self.picture.report, self.picture.cases, layer, public=False)
            self._drawn[layer] = json.dumps(found, separators=(",", ":"), allow_nan=False).encode()
        return self._drawn[layer]

    @cached_property
    def bounds(self) -> tuple[float, float, float, float] | None:
        """The first view of the map: west, south, east, north."""
        return places.bounds(self.town)


class _Held:
    """The newest desk of this process; the lock lets one thread make it while the others wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.desk: Desk | None = None


_HELD = _Held()


def open_desk() -> Desk:
    """The town of this process as it stands now; made anew only when its layers, its register or the day has changed."""
    folder, on = town_folder(), today()
    with _HELD.lock:
        version = "-".join((*(part[:16] for part in pipeline.stamp(folder)), on.isoformat()))
        held = _HELD.desk
        if held is None or (held.folder, held.version) != (folder, version):
            held = _HELD.desk = Desk(folder, pipeline.take_picture(folder, on), version)
        return held


def today() -> date:
    """The day on which the town is looked at: today, or MS4_ON (YYYY-MM-DD) for a rehearsal."""
    asked = os.environ.get("MS4_ON", "")
    try:
        return date.fromisoformat(asked) if asked else date.today()  # noqa: DTZ011 - the town's own calendar day
    except ValueError as fault:
        raise CallError(f"MS4_ON is {asked!r}, which is no date", hint="write it as 2026-12-07") from fault


def town_folder() -> Path:
    """The town that this process shows: MS4_TOWN, else the sample town in the user's own data folder."""
    named = os.environ.get("MS4_TOWN", "")
    return Path(named).expanduser() if named else user_folder() / SAMPLE_FOLDER


def town_name() -> str:
    """The name of the town as it stands in its settings, empty while there is no town yet."""
    try:
        return places.shown(load_settings(town_folder()).name, length=40)
    except MS4Error:
        return ""


def is_ready() -> bool:
    """Whether the town is there; only the sample town may still have to be made."""
    return bool(os.environ.get("MS4_TOWN")) or town_folder().exists()


def make_sample() -> None:
    """Makes the sample town where it is not there yet."""
    with _HELD.lock:
        if not town_folder().exists():
            town_folder().parent.mkdir(parents=True, exist_ok=True)
            pipeline.make_demo(town_folder(), on=today())


def user_folder() -> Path:
    """Where programs keep a user's data on this machine."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "ms4-outfall-map"


@cache
def session_key() -> str:
    """The key of this process, which the page passes to the map and the map sends with each request."""
    return secrets.token_urlsafe(24)


def routes() -> list[Route]:
    """The routes beside Streamlit's own."""
    return [
        Route("/ms4/map.js", _map_js),
        Route("/ms4/map.css", _map_css),
        Route("/ms4/features", _features),
        Route("/ms4/search", _search),
    ]


def clear_uploads() -> None:
    """At the start: removes uploads that nobody has accepted for a day."""
    uploads.clear_out(town_folder(), older_than=uploads.HELD_FOR)


def middleware() -> list[Middleware]:
    """What every request passes: only this machine's names are answered, and the browser stays on this machine."""
    return [
        Middleware(TrustedHostMiddleware, allowed_hosts=list(LOOPBACK)),
        Middleware(OwnOrigin),
        Middleware(_SafeHeaders),
    ]


class OwnOrigin:
    """Refuses the socket of a page from any other origin, be it another port of this machine."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on but a socket asked for by a page of another host or port."""
        if scope["type"] == "websocket":
            headers = Headers(scope=scope)
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != headers.get("host"):
                await receive()
                await send({"type": "websocket.close", "code": POLICY_VIOLATED})
                return
        await self.app(scope, receive, send)


class _SafeHeaders:
    """Adds the headers that keep the browser from asking other hosts and from guessing types."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                headers.append((b"content-security-policy", FROM_HERE_ONLY.encode()))
                headers.append((b"x-content-type-options", b"nosniff"))
                headers.append((b"referrer-policy", b"no-referrer"))
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _map_js(request: Request) -> Response:
    return Response(f"{mapview.leaflet_js()}\n{mapview.view_js()}", media_type="text/javascript", headers=_kept_a_day())


def _map_css(request: Request) -> Response:
    return Response(f"{mapview.leaflet_css()}\n{mapview.view_css()}", media_type="text/css", headers=_kept_a_day())


def _kept_a_day() -> Mapping[str, str]:
    return {"cache-control": "max-age=86400"}


def _features(request: Request) -> Response:
    """One whole layer as GeoJSON: `?layer=outfalls`; a layer is not yet cut to the view."""
    if not _may_see(request):
        return _refused()
    try:
        body = open_desk().features(request.query_params.get("layer", ""))
    except MS4Error as error:
        return _fault(error)
    return Response(body, media_type="application/geo+json", headers={"cache-control": "no-store"})


def _search(request: Request) -> Response:
    """Things by id, address, name or section-block-lot: `?q=titicus`."""
    if not _may_see(request):
        return _refused()
    try:
        hits = places.search(open_desk().places, request.query_params.get("q", "")[:80])
    except MS4Error as error:
        return _fault(error)
    return JSONResponse([{"subject": each.subject, "name": each.name} for each in hits])


def _may_see(request: Request) -> bool:
    return hmac.compare_digest(request.headers.get(KEY_HEADER, "").encode(), session_key().encode())


def _refused() -> Response:
    return _fault(CallError("this is only for the app's own pages", code="access"), status=403)


def _fault(error: MS4Error, *, status: int = 400) -> Response:
    return JSONResponse({"error": {"code": error.code, "text": error.text, "hint": error.hint}}, status_code=status)
