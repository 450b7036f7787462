"""Leaving, being put out and coming back at a table of real nodes: by clocks, by consent, and with a bot in between."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from sunward.cli import parser
from sunward.commands.verify import check_all, waits_for
from sunward.matchfile import read_match
from sunward.nodes import NodeProcess
from sunward_client.events import Changed, Invite, Trouble, read
from sunward_client.following import update
from sunward_client.model import Model, playing
from sunward_client.requests import Act, Adjourn, LetPlay, PutOut, Quit, Request, TakeBack, encode
from sunward_client.requests import Invite as ShowInvite
from sunward_client.theme import Look
from sunward_node.gateway import attach
from sunward_node.invites import read_invite
from sunward_node.order import Opening, Order, parse_invite
from sunward_node.places import Places
from sunward_protocol.audit import audit
from sunward_protocol.errors import SunwardError
from sunward_protocol.games.game import Action
from sunward_protocol.identity import Ed25519Signatures
from sunward_protocol.messages import Change

pytestmark = pytest.mark.slow

PATIENCE = 150.0


def changes(file: Path) -> list[Change]:
    """Return what changed in who plays in a match file that may still grow."""
    try:
        match = read_match(file).match
    except SunwardError:
        return []
    found = list[Change]()
    for _ in match.replay():
        if match.ledger.changed is not None:
            found.append(match.ledger.changed)
    return found


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds that only files tell of."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110  (nothing announces it)
            await asyncio.sleep(0.2)


def check_whole(files: Sequence[Path]) -> list[Change]:
    """Verify every seat's file to the end, and return what changed in who plays."""
    heads = set[bytes]()
    for file in files:
        match, torn = read_match(file)
        assert audit(match, Ed25519Signatures(), check_all, torn).verdict == "complete"
        heads.add(match.ledger.head)
    assert len(heads) == 1
    return changes(files[0])


@pytest.mark.timeout(400)
def test_a_killed_node_is_put_out_by_its_clock_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    asyncio.run(killed())


async def killed() -> None:
    """Three bots play by clocks; one is killed, put out, resumed, and plays again."""
    places, pause = Places.find(os.environ), 0.15
    clock = parser().parse_args(["play", "--clock", "2+1"]).clock
    opening = Opening("around", 3, {}, clock=clock)
    nodes = [await NodeProcess.start(Order(name="random-1", bot="random", open=opening, pause=pause), places)]
    invite = parse_invite(await nodes[0].announced("invite"))
    for number in (2, 3):
        order = Order(name=f"random-{number}", bot="random", join=invite, pause=pause)
        nodes.append(await NodeProcess.start(order, places))
    folders = [Path(str(await node.announced("folder"))) for node in nodes]
    files = [folder / "match.sunward" for folder in folders]
    await nodes[2].kill()
    await until(lambda: any(change.out for change in changes(files[0])))
    nodes[2] = await NodeProcess.start(Order(resume=str(folders[2]), pause=pause), places)
    await asyncio.gather(*(node.announced("over", PATIENCE) for node in nodes))
    await asyncio.gather(*(node.stop() for node in nodes))
    made = check_whole(files)
    assert [change.out.bit_count() for change in made][:2] == [1, 0]  # who sat down first has the lower place
    assert len(made[1].back) == 1


class Person:
    """A node of ours without a bot, and a client at its socket that says what its test wants said."""

    def __init__(self, node: NodeProcess) -> None:
        self.node = node
        self.model = Model(Look())
        self.changes = list[Changed]()
        self.invite = ""
        self.troubles = list[str]()
        self._acted = -1
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def sit_down(self) -> None:
        reader, self._writer = await attach(Path(str(await self.node.announced("socket"))))
        self._reading = asyncio.create_task(self._read(reader))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            event = read(json.loads(line))
            if event is not None:
                async with self._news:
                    self.model = update(self.model, event)
                    if isinstance(event, Changed):
                        self.changes.append(event)
                    elif isinstance(event, Invite):
                        self.invite = event.invite
                    elif isinstance(event, Trouble):
                        self.troubles.append(event.code)
                    self._news.notify_all()

    async def ask(self, request: Request) -> None:
        assert self._writer is not None
        self._writer.write(encode(request))
        await self._writer.drain()

    async def want(self, request: Request) -> None:
        """Ask for a change until the node has asked the others: in the second after a change it may forget a wish."""
        you = None if self.model.match is None else self.model.match.you
        async with asyncio.timeout(PATIENCE):
            while you not in dict(self.model.claims):
                await self.ask(request)
                await asyncio.sleep(0.5)

    async def until(self, holds: Callable[[Model], bool]) -> Model:
        """Wait until a condition on the model holds, and return that."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: holds(self.model))
            return self.model

    async def act(self) -> None:
        """Take the first legal actions, if it is our turn and we did not."""
        model = self.model
        if model.mine and model.turn is not None and model.turn.step > self._acted:
            self._acted = model.turn.step
            await self.ask(Act(self._choices(model), model.turn.step))

    def _choices(self, model: Model) -> tuple[Action, ...]:
        match, position = playing(model)
        assert match.you is not None
        said, position = list[Action](), position.copy()
        while position.to_act() == (match.you,):
            said.append(position.legal(match.you)[0])
            position.apply(match.you, said[-1])
        return tuple(said)

    async def leave(self) -> None:
        """Stop the node."""
        await self.ask(Quit())
        await self.node.stop()
        await self._let_go()

    async def die(self) -> None:
        """Kill the node."""
        await self.node.kill()
        await self._let_go()

    async def _let_go(self) -> None:
        assert self._reading is not None
        assert self._writer is not None
        await self._reading
        self._writer.close()


def own_step(model: Model) -> int | None:
    """Return the step of the last action of a model's own, if nothing was drawn since and a person is to act now."""
    if model.match is None or model.turn is None:
        return None
    own = [played.step for played in model.played if played.seat == model.match.you]
    moment = next((each for each in model.moments if own and each.step == own[-1]), None)
    waits = all("random" not in model.match.names[seat] for seat in model.turn.seats)
    return moment.step if moment is not None and waits and moment.drawn == len(model.draws) else None


async def started(home: Path, order: Order) -> NodeProcess:
    """Start a node of whoever has this home: another person has another identity."""
    os.environ["SUNWARD_HOME"] = str(home)
    return await NodeProcess.start(order, Places.find(os.environ))


@pytest.mark.timeout(400)
def test_takeback_rest_and_a_stand_in_by_consent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    asyncio.run(agreeing(tmp_path))


async def agreeing(tmp_path: Path) -> None:
    """Two people and a bot take back, rest, start their nodes again, and let bots play to the end."""
    homes = [tmp_path / "ann", tmp_path / "bo", tmp_path / "ann"]
    host = await started(homes[0], Order(name="Ann", open=Opening("beyond", 3, {})))
    invite = parse_invite(await host.announced("invite"))
    ann, bo = Person(host), Person(await started(homes[1], Order(name="Bo", join=invite)))
    bot = await started(homes[2], Order(name="random-1", bot="random", join=invite))
    for person in (ann, bo):
        await person.sit_down()
    folders = [Path(str(await node.announced("folder"))) for node in (ann.node, bo.node, bot)]
    files = [folder / "match.sunward" for folder in folders]

    async with asyncio.timeout(PATIENCE):
        while (step := own_step(ann.model)) is None:
            await ann.act()
            await bo.act()
            await asyncio.sleep(0.02)
    before = next(moment.position for moment in ann.model.moments if moment.step == step)
    await ann.want(TakeBack())
    wish = (await bo.until(lambda model: model.asked is not None)).asked
    assert wish is not None
    assert wish.rewind == step
    await bo.ask(TakeBack(wish.rewind))
    for person in (ann, bo):
        model = await person.until(lambda model: model.played[-1:] == () or model.played[-1].step < step)
        assert person.changes[0].change.rewind == step
        assert playing(model)[1].encode() == before.encode()

    await bo.want(Adjourn())
    await ann.until(lambda model: model.asked is not None)
    await ann.ask(Adjourn())
    for person in (ann, bo):
        await person.until(lambda model: model.resting)
        await person.leave()
    await bot.stop()
    resting = read_match(files[0]).match
    assert audit(resting, Ed25519Signatures(), check_all).verdict == "unfinished"
    assert waits_for(resting).startswith("It is adjourned")

    nodes = [await started(home, Order(resume=str(at))) for home, at in zip(homes, folders, strict=True)]
    ann, bo, bot = Person(nodes[0]), Person(nodes[1]), nodes[2]
    for person in (ann, bo):
        await person.sit_down()
    for person in (ann, bo):
        await person.until(lambda model: model.turn is not None and not model.resting and model.step > step)
        await person.ask(LetPlay("random"))
    for person in (ann, bo):
        await person.until(lambda model: model.over)
    await bot.announced("over", PATIENCE)
    for person in (ann, bo):
        await person.leave()
    await bot.stop()
    made = check_whole(files)
    assert [(change.rewind, change.adjourn) for change in made] == [(step, 0), (0, 1), (0, 0)]


@pytest.mark.timeout(400)
def test_whoever_lost_their_disk_comes_back_with_their_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    asyncio.run(lost_disk(tmp_path))


async def lost_disk(tmp_path: Path) -> None:
    """Three people; one's node is killed and its matches are gone. Put out, they come back, are killed, and play on."""
    homes = [tmp_path / name for name in ("ann", "bo", "cy")]
    host = await started(homes[0], Order(name="Ann", open=Opening("around", 3, {})))
    invite = parse_invite(await host.announced("invite"))
    others = [await started(home, Order(name=home.name.title(), join=invite)) for home in homes[1:]]
    ann, bo, cy = people = [Person(node) for node in (host, *others)]
    for person in people:
        await person.sit_down()
    folders = [Path(str(await person.node.announced("folder"))) for person in people]
    await play_until(people, 12)

    await cy.die()
    shutil.rmtree(homes[2] / "data")
    await bo.ask(ShowInvite())
    await bo.until(lambda _: bo.invite != "")
    cy = Person(await started(homes[2], Order(rejoin=read_invite(bo.invite)[0])))
    await cy.sit_down()
    await cy.until(lambda _: "outside" in cy.troubles)
    assert not folders[2].exists(), "nobody is let in who is not put out"
    seat = seat_of(ann.model, "Cy")
    for person in (ann, bo):
        await person.want(PutOut((seat,)))
    people = [ann, bo, cy]
    for person in people:
        await person.until(partial(is_back, person, seat))
    while seat not in [played.seat for played in cy.model.played if played.step > cy.changes[-1].step]:
        await play_until(people, ann.model.step + 4)

    await cy.die()
    people[2] = Person(await started(homes[2], Order(resume=str(folders[2]))))
    await people[2].sit_down()
    for person in people:
        await person.until(lambda model: model.turn is not None)
        await person.ask(LetPlay("random"))
    for person in people:
        await person.until(lambda model: model.over)
    for person in people:
        await person.leave()
    made = check_whole([folder / "match.sunward" for folder in folders])
    assert [(change.out.bit_count(), len(change.back)) for change in made] == [(1, 0), (0, 1)]


def is_back(person: Person, seat: int, _: Model) -> bool:
    """Whether a person's client was told that a seat plays again."""
    return any(each.change.back == (seat,) for each in person.changes)


async def play_until(people: Sequence[Person], step: int) -> None:
    """Let everybody act until a step is played."""
    async with asyncio.timeout(PATIENCE):
        while any(person.model.step < step for person in people):
            for person in people:
                await person.act()
            await asyncio.sleep(0.02)


def seat_of(model: Model, name: str) -> int:
    """Return the seat of somebody of this name."""
    assert model.match is not None
    return next(seat for seat, called in enumerate(model.match.names) if called.endswith(name))
