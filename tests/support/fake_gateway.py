"""A node's local socket without a node: a real unix socket, a real match, and no network behind it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from pathlib import Path
from typing import cast

from sunward_protocol.draws import DrawStream
from sunward_protocol.errors import IllegalAction
from sunward_protocol.games.catalog import find
from sunward_protocol.games.game import Action, Position, Seat

Message = dict[str, object]
Choose = Callable[[Position, Seat], Action]

COLOURS = ("Ann", "Bo", "Cy", "Di", "Eve", "Fay")


def first(position: Position, seat: Seat) -> Action:
    """Choose the first legal action."""
    return position.legal(seat)[0]


def last(position: Position, seat: Seat) -> Action:
    """Choose the last legal action."""
    return position.legal(seat)[-1]


class FakeTable:
    """A match in which every seat but `you` is played by `choose`; `events` is what a node would have told so far."""

    def __init__(self, *, seats: int = 3, you: Seat | None = 0, choose: Choose = first, deal: int = 0) -> None:
        game = find("around")
        ruleset = game.load(game.builtin())
        self.you = you
        self.position = ruleset.start(seats, {})
        self.step = 0
        self.events: list[Message] = []
        self._choose = choose
        self._deal = deal
        self._tell(
            event="hello",
            protocol=1,
            match="ab" * 32,
            game=game.name,
            components=ruleset.components.decode(),
            options={},
            names=COLOURS[:seats],
            keys=["00" * 32] * seats,
            words=["some short words here"] * seats,
            you=you,
        )
        self._draw()
        self._go_on()

    def act(self, actions: Sequence[Action], step: int) -> None:
        """Play this client's choices as a node would: refused with a sentence, or carried out and answered."""
        assert self.you is not None
        if step != self.step:
            self._tell(event="refused", ruling="T1", sentence=f"Step {step} is not the one being played.")
            return
        try:
            self.position.check(self.you, actions[0])
        except IllegalAction as error:
            self._tell(event="refused", ruling=error.ruling, sentence=error.sentence)
            return
        if self.position.secret:
            self._settle(actions[0])
        else:
            self._apply(self.you, actions)
        self._go_on()

    def play(self, steps: int) -> None:
        """Let `choose` play this client's seat too, for so many of its turns or to the end."""
        for _ in range(steps):
            if self.position.result() is None and self.you is not None:
                self.act([self._choose(self.position, self.you)], self.step)

    def _go_on(self) -> None:
        while self.position.result() is None and self.you not in self.position.to_act():
            seats = self.position.to_act()
            self._turn(seats)
            if self.position.secret:
                self._settle(None)
            else:
                self._apply(seats[0], [self._choose(self.position, seats[0])])
        if self.position.result() is None:
            self._turn(self.position.to_act())
        else:
            self._tell(event="over", file="/matches/abab.sunward")

    def _turn(self, seats: Sequence[Seat]) -> None:
        self.step += 1
        self._tell(event="turn", step=self.step, seats=list(seats), secret=self.position.secret)

    def _apply(self, seat: Seat, actions: Sequence[Action]) -> None:
        for action in actions:
            self.position.apply(seat, action)
        self._tell(event="applied", step=self.step, seat=seat, actions=list(actions), by="player")
        self._draw()

    def _settle(self, mine: Action | None) -> None:
        seats = self.position.to_act()
        chosen = {seat: self._choose(self.position, seat) for seat in seats}
        if mine is not None and self.you is not None:
            chosen[self.you] = mine
        for seat in seats:
            self.position.apply(seat, chosen[seat])
            self._tell(event="applied", step=self.step, seat=seat, actions=[chosen[seat]], by="player")
        self._draw()

    def _draw(self) -> None:
        if self.position.chance_due():
            randomness = blake2b(bytes([self._deal, self.step % 256]), digest_size=32).digest()
            self.position.draw(DrawStream(randomness))
            self._tell(event="drawn", step=self.step, randomness=randomness.hex())

    def _tell(self, **event: object) -> None:
        self.events.append(event)


class FakeGateway:
    """Serves one table to the clients that attach; `requests` is what they asked."""

    def __init__(self, table: FakeTable) -> None:
        self.table = table
        self.requests: list[Message] = []
        self.asked = asyncio.Event()
        self.attached = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self._told: dict[asyncio.StreamWriter, int] = {}

    def publish(self, **event: object) -> None:
        """Tell an event that no table would tell of itself."""
        self.table.events.append(event)
        self.flush()

    def flush(self) -> None:
        """Send every client what it has not been told."""
        for writer, told in self._told.items():
            for event in self.table.events[told:]:
                writer.write(json.dumps(event).encode() + b"\n")
            self._told[writer] = len(self.table.events)

    def hang_up(self) -> None:
        """Go away as a node does that has been stopped."""
        for writer in self._told:
            writer.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._told[writer] = 0
        self.flush()
        self.attached.set()
        try:
            while line := await reader.readline():
                request = cast("Message", json.loads(line))
                self.requests.append(request)
                self.asked.set()
                if request["do"] == "act":
                    self.table.act(cast("list[int]", request["actions"]), cast("int", request["step"]))
                    self.flush()
                elif request["do"] in ("quit", "detach"):
                    break
        except ConnectionError:
            pass
        finally:
            del self._told[writer]
            writer.close()


@asynccontextmanager
async def serving(path: Path, table: FakeTable) -> AsyncGenerator[FakeGateway, None]:
    """Serve a table at `path`."""
    gateway = FakeGateway(table)
    server = await asyncio.start_unix_server(gateway.serve, path)
    try:
        yield gateway
    finally:
        server.close()
        gateway.hang_up()
