"""The web application: a page, its files, and endpoints that accept and return JSON.

Requests refer to items by their positions in the person's own sequence, so nobody can request the items of another
person.
"""

import asyncio
import json
import math
import re
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from html import escape
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, Router

from wordorder.apps.study.answers import refuse_changed
from wordorder.apps.study.folder import Study
from wordorder.apps.study.store import Event, Person, Store, new_uuid
from wordorder.apps.study.store.events import write_payload
from wordorder.apps.study.store.store import DatabaseLostError, digest_of
from wordorder.apps.study.store.writer import CONNECTION_ERRORS, RefusedError, Writer, deny
from wordorder.apps.study.web.admission import CLOSED, Admission
from wordorder.apps.study.web.dashboard import gather_responses, measure_agreement, overview, pack_everything
from wordorder.apps.study.web.guard import Guard, Limit, refuse
from wordorder.apps.study.web.participants import WRITTEN, ParticipantService
from wordorder.apps.study.words import direction, read_words
from wordorder.core.runtime.errors import InputError, WordorderError
from wordorder.report.html import browser_file

_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ID = re.compile(r"[\w.@:+-]{1,100}", re.ASCII)
_OWN_ID = re.compile(r"[apmo]\d+")
_LATEST = 1 << 53
NOWHERE = "There is no such page."
NO_ID, UNKNOWN = (read_words("en")[name] for name in ("no_id", "unknown_link"))

Body = dict[str, Any]


class Application:
    """Serves one study, or a preview in which visitors can go to any page.

    ``admin`` is an additional token for the admin page, and is not stored in the database.
    """

    def __init__(
        self,
        study: Study,
        store: Store,
        *,
        hosts: Collection[str] = (),
        admin: str | None = None,
        preview: bool = False,
    ) -> None:
        record_material(study, store)
        self.study = study
        self.store = store
        self.admission = Admission(study)
        self.writer = Writer(store, self.admission, dispatch=self._dispatch, report=_report)
        self.participants = ParticipantService(study, self.admission, self.writer, preview=preview)
        self.known = {digest_of(admin): Person("m0", "admin")} if admin else {}
        self.answers_per_person = Limit(5, 1.0)
        self.others_per_person = Limit(20, 1.0)
        self.answers_in_all = Limit(600, 600.0)
        self.drafts_per_person = Limit(12, 60.0)
        self.unknown_per_address = Limit(10, 60.0)
        self.joins_per_address = Limit(30, 60.0)
        self.loop: asyncio.AbstractEventLoop | None = None
        own = study.settings.page_words
        translations = {text: own[name] for name, text in read_words("en").items()}

        def route(path: str, work: Callable[[Request], Awaitable[Any]], method: str = "POST") -> Route:
            return Route(f"/api/{path}", endpoint(work, translations), methods=[method])

        routes = [
            *(route(kind, partial(self.write, kind)) for kind in WRITTEN),
            route("check", self.check),
            route("study", self.describe, "GET"),
            route("item/{place:int}", self.item, "GET"),
            route("admin", self.overview, "GET"),
            route("admin", self.admin_action),
            route("agreement", self.agreement, "GET"),
            route("everything", self.everything, "GET"),
            route("join", self.join),
            route("withdraw", self.withdraw),
            Route("/", self.page),
            Route("/assets/{name:path}", self.asset),
        ]
        self.asgi = Guard(Router(routes, default=refuse(404, NOWHERE)), hosts=hosts)

    def stop(self) -> None:
        """Write all waiting events, and stop the writer."""
        self.writer.stop()

    # --- the page -------------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """Return the HTML page, which is the same for all links, in the language of the study."""
        words = self.study.settings.page_words
        html = browser_file("wordorder.apps.study", "page.html").read_text("utf-8")
        html = html.replace('lang="en" dir="ltr"', f'lang="{escape(words["lang"])}" dir="{direction(words["lang"])}"')
        html = html.replace(read_words("en")["no_script"], escape(words["no_script"]))
        return HTMLResponse(html.replace("{}", write_payload(words).replace("<", "\\u003c")))

    async def asset(self, request: Request) -> Response:
        """Return a JavaScript module or the stylesheet."""
        return _file(request.path_params["name"])

    # --- people ---------------------------------------------------------------------------------------------------

    async def describe(self, request: Request) -> Any:
        """Return a description of the study and the progress of the person."""
        person = await self.authenticate(request)
        if person.role in ("admin", "open"):
            settings = self.study.settings
            return {
                "role": person.role,
                "title": settings.title,
                "id": "" if self.participants.preview else settings.recruiting.parameter,
            }
        return self.participants.describe(person)

    async def item(self, request: Request) -> Any:
        """Return the requested item from the person's own sequence."""
        person = await self.authenticate(request, "person", "adjudicator")
        return self.participants.item(person, request.path_params["place"])

    async def join(self, request: Request) -> Any:
        """Create a new participant for a visitor with an open link, or find the one with the id in the address."""
        visitor = await self.authenticate(request, "open")
        if not self.joins_per_address.allows(_address(request)):
            raise RefusedError("Too many people have joined from this address. Please wait a minute.", status=429)
        deny(self.writer.state.closed, CLOSED, status=403)
        if not self.study.settings.recruiting.parameter:
            (invitation,) = await run_in_threadpool(self.store.invite, 1)
            return {"token": invitation.token}
        person = (await _body(request)).get("id")
        if not isinstance(person, str) or not _ID.fullmatch(person) or _OWN_ID.fullmatch(person):
            raise RefusedError(NO_ID, status=422)
        token = digest_of(f"{visitor.id} {request.headers['authorization']} {person}")[:32]
        await run_in_threadpool(self.store.admit, person, token)
        return {"token": token}

    async def check(self, request: Request) -> Any:
        """Return possible mistakes in an unfinished answer."""
        person = await self.authenticate(request, "person", "adjudicator")
        body = await _body(request)
        self.limit(self.others_per_person, person)
        return {"findings": self.participants.findings(person, body)}

    async def withdraw(self, request: Request) -> Any:
        """Erase everything that is stored about a person, at their own request."""
        person = await self.authenticate(request, "person")
        await _body(request)
        await run_in_threadpool(self.store.withdraw, person.id, erase=True)
        self.known = {digest: one for digest, one in self.known.items() if one != person}
        return {"stored": True}

    async def write(self, kind: str, request: Request) -> Any:
        """Store an event of a person, and reply when it is on disk."""
        person = await self.authenticate(request, "person", "adjudicator")
        body = await _body(request)
        self.limit(self.answers_per_person if kind == "answer" else self.others_per_person, person)
        if kind in ("answer", "draft"):
            self.limit(self.answers_in_all if kind == "answer" else self.drafts_per_person, person)
        event = self.participants.event(person, kind, body)
        stored = await self.submit(event, body)
        return {"stored": True} | self.participants.follow_up(person, stored)

    # --- the researcher -------------------------------------------------------------------------------------------

    async def overview(self, request: Request) -> Any:
        """Return the data of the admin page."""
        await self.authenticate(request, "admin")
        return await run_in_threadpool(self._overview)

    def _overview(self) -> Any:
        people = self.store.people()
        with self.writer.lock:
            return overview(self.study, self.admission, self.writer.state, people)

    async def agreement(self, request: Request) -> Any:
        """Return how well people agree so far."""
        await self.authenticate(request, "admin")
        with self.writer.lock:
            responses = list(gather_responses(self.study, self.writer.state))
        return await run_in_threadpool(measure_agreement, self.study, responses)

    async def everything(self, request: Request) -> Response:
        """Return an archive with everything that is stored, and the exported answers."""
        await self.authenticate(request, "admin")
        content = await run_in_threadpool(pack_everything, self.study, self.store)
        return Response(content, media_type="application/zip")

    async def admin_action(self, request: Request) -> Any:
        """Close or reopen the study, or exclude or readmit a person."""
        await self.authenticate(request, "admin")
        body = await _body(request)
        kinds = {"close": "close", "reopen": "reopen", "exclude": "exclusion", "readmit": "readmission"}
        action, person, reason = body.get("action"), body.get("person"), body.get("reason", "")
        if action not in kinds or not isinstance(reason, str):
            raise RefusedError(f"An action must be one of {', '.join(kinds)}.", status=422)
        deny(action == "exclude" and not reason.strip(), "Say why, so that the analysis can report it.", status=422)
        about = None
        if action in ("exclude", "readmit"):
            known = await run_in_threadpool(self.store.people, "person")
            about = next((one.id for one in known if one.id == person), None)
            deny(about is None, "There is no participant with that id.", status=404)
        payload = write_payload({"reason": reason} if action == "exclude" else {})
        await self.submit(Event(kinds[action], about, payload=payload), body)
        return {"stored": True}

    # --- the common part ------------------------------------------------------------------------------------------

    async def authenticate(self, request: Request, *roles: str) -> Person:
        """Return the owner of the token in a request; raise RefusedError for an unknown token or a wrong role."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        digest = digest_of(token) if scheme == "Bearer" else ""
        person = self.known.get(digest)
        if person is None:
            person = await run_in_threadpool(self.store.find, token) if digest else None
            if person is None:  # a valid link is never refused because of others that come from the same address
                if not self.unknown_per_address.allows(_address(request)):
                    raise RefusedError("Too many unknown links from this address. Please wait a minute.", status=429)
                raise RefusedError(UNKNOWN, status=401)
            self.known[digest] = person
        if self.writer.state.of(person.id).withdrawn:
            self.known.pop(digest, None)  # an erased person is unknown from now on
            if await run_in_threadpool(self.store.find, token) is None:
                raise RefusedError(UNKNOWN, status=401)
        deny(roles and person.role not in roles, "This link does not allow that.", status=403)
        return person

    def limit(self, limit: Limit, person: Person) -> None:
        """Raise RefusedError if the person has reached the rate limit."""
        deny(not limit.allows(person.id), "Too fast. Please wait a second.", status=429)

    async def submit(self, event: Event, body: Body) -> Event:
        """Pass an event to the writer, and wait until it is on disk."""
        uuid, time = body.get("uuid"), body.get("time")
        if not isinstance(uuid, str) or not _UUID.fullmatch(uuid):
            raise RefusedError("A request needs a uuid.", status=422)
        if not (time is None or (isinstance(time, int) and 0 <= time < _LATEST)):
            raise RefusedError("time must be in milliseconds since 1970.", status=422)
        whole = Event(event.kind, event.person, event.item, event.payload, time, uuid)
        self.loop = asyncio.get_running_loop()
        stored: asyncio.Future[Event] = self.loop.create_future()
        self.writer.write(whole, stored)
        return await stored

    def _dispatch(self, work: Callable[[], None]) -> None:
        if self.loop is not None:
            with suppress(RuntimeError):  # the server has stopped, so nobody is waiting
                self.loop.call_soon_threadsafe(work)


Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(work: Callable[[Request], Awaitable[Any]], translations: Mapping[str, str]) -> Endpoint:
    """Make an endpoint that returns the result of ``work`` as JSON, or an error as a message with an HTTP status."""

    async def serve(request: Request) -> Response:
        try:
            found = await work(request)
            if isinstance(found, Response):
                return found
            return Response(write_payload(found), media_type="application/json")
        except RefusedError as error:
            return refuse(error.status, translations.get(str(error), str(error)))
        except (*CONNECTION_ERRORS, DatabaseLostError):
            return refuse(503, "The database cannot be reached. Nothing was stored; please try again.")
        except WordorderError as error:
            message = error.message if isinstance(error, InputError) else str(error)
            return refuse(422, message, field=getattr(error, "field", ""))
        except ClientDisconnect:
            return refuse(400, "The request was not complete.")
        except Exception:
            traceback.print_exc()
            return refuse(500, "Something went wrong on the server. Nothing was stored; please try again.")

    return serve


def record_material(study: Study, store: Store) -> None:
    """Record what the study consists of; raise InputError if it must not change any more after the first answer."""
    refuse_changed(study, store.state())
    before = store.events_of("material")
    if not before or before[-1].content != study.record:
        store.append([Event("material", payload=write_payload(study.record), uuid=new_uuid())])


def _file(name: str) -> Response:
    ending = re.fullmatch(r"(?:kinds/)?[a-z]+(\.js|\.css|\.html)", name)
    if ending is None or not (found := browser_file("wordorder.apps.study", name)).is_file():
        return refuse(404, NOWHERE)
    return Response(found.read_bytes(), media_type=_TYPES[ending[1]])


async def _body(request: Request) -> Body:
    try:
        data = await request.body()
        body = _DECODER.decode(data.decode())
        if b"\\u" in data:
            json.dumps(body, ensure_ascii=False).encode()  # half of a surrogate pair cannot be stored
    except (ValueError, RecursionError):
        raise RefusedError("The request is not JSON in UTF-8.", status=400) from None
    if not isinstance(body, dict):
        raise RefusedError("The request is not a JSON object.", status=400)
    return body


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):  # such as 1e999 and NaN, which JSON cannot write
        raise ValueError(text)
    return number


_DECODER = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)


def _report(message: str) -> None:
    print(time.strftime("%Y-%m-%d %H:%M:%S"), message, file=sys.stderr, flush=True)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
