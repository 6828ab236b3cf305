"""The app's own routes: only our page on this machine is answered, and the browser is told to stay here."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.types import Message, Scope

from layers.errors import CallError
from mapping import pipeline, server
from tests.conftest import ON


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@pytest.fixture(autouse=True)
def town(sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MS4_TOWN", str(sample))
    monkeypatch.setenv("MS4_ON", ON.isoformat())
    return sample


def get(path: str, *, key: str = "", host: str = "127.0.0.1:8501", **query: str) -> Answer:
    """What the app answers to a GET, without a socket."""
    sent: list[Message] = []
    headers = [(b"host", host.encode()), (server.KEY_HEADER.encode(), key.encode())]
    scope: Scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "root_path": "", "query_string": urlencode(query).encode(),
        "headers": headers, "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", 8501),
    }  # fmt: skip

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Starlette(routes=server.routes(), middleware=server.middleware())(scope, receive, send))
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], told, b"".join(each.get("body", b"") for each in sent[1:]))


def test_features_are_given_to_our_own_page_alone() -> None:
    assert get("/ms4/features", layer="outfalls").status == 403
    assert get("/ms4/features", layer="outfalls", key="guess").status == 403
    found = get("/ms4/features", layer="outfalls", key=server.session_key())
    assert found.status == 200
    assert found.headers["content-type"] == "application/geo+json"
    assert found.headers["cache-control"] == "no-store"
    assert found.json()["features"]


def test_search_is_guarded_too() -> None:
    assert get("/ms4/search", q="OF-070").status == 403
    hits = get("/ms4/search", q="OF-070", key=server.session_key()).json()
    assert hits[0]["subject"] == "outfalls:OF-070"


def test_another_name_of_this_machine_is_not_answered() -> None:
    assert get("/ms4/map.js", host="evil.example").status == 400


@pytest.mark.parametrize(
    ("origin", "is_let_in"),
    [
        ("http://127.0.0.1:8501", True),
        ("http://127.0.0.1:8502", False),
        ("http://evil.example", False),
        ("null", False),
    ],
)
def test_a_socket_is_opened_to_the_own_origin_alone(origin: str, is_let_in: bool) -> None:
    passed: list[str] = []
    sent: list[Message] = []

    async def app(scope: Scope, receive: Any, send: Any) -> None:
        passed.append(scope["path"])

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8501"), (b"origin", origin.encode())]
    scope: Scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    asyncio.run(server.OwnOrigin(app)(scope, receive, send))
    assert bool(passed) == is_let_in
    assert [each["type"] for each in sent] == ([] if is_let_in else ["websocket.close"])


def test_the_browser_is_told_to_stay_on_this_machine() -> None:
    headers = get("/ms4/map.css").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_leaflet_comes_from_its_package() -> None:
    found = get("/ms4/map.js")
    assert found.headers["content-type"].startswith("text/javascript")
    assert b"Leaflet 1.9.3" in found.body[:300]
    assert b"url(images/" not in get("/ms4/map.css").body


@pytest.mark.parametrize("layer", ["", "secrets", "../../etc/passwd"])
def test_an_unknown_layer_is_an_answer_and_no_crash(layer: str) -> None:
    found = get("/ms4/features", layer=layer, key=server.session_key())
    assert found.status == 400
    assert "no layer" in found.json()["error"]["text"]


def test_a_town_that_is_not_there_is_an_answer_and_no_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS4_TOWN", str(tmp_path / "nowhere"))
    for path in ("/ms4/features", "/ms4/search"):
        assert get(path, layer="outfalls", q="x", key=server.session_key()).status == 400


def test_the_town_is_read_anew_only_when_something_has_changed(
    own_sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MS4_TOWN", str(own_sample))
    first = server.open_desk()
    assert server.open_desk() is first
    pipeline.record_event(own_sample, "note", on=ON, data={"text": "x"}, by="T. Exampleton")
    second = server.open_desk()
    assert second.version != first.version
    assert len(second.town.records.everything) == len(first.town.records.everything) + 1
    monkeypatch.setenv("MS4_ON", "2026-12-01")
    assert server.open_desk().picture.on.isoformat() == "2026-12-01"


def test_a_day_that_is_no_date_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS4_ON", "tomorrow")
    with pytest.raises(CallError, match="no date"):
        server.today()


def test_without_a_name_the_sample_town_of_this_user_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MS4_TOWN")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert server.town_folder() == tmp_path / "ms4-outfall-map" / "sample-town"
    assert not server.is_ready()
