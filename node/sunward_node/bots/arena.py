"""Matches between bots in one process, without a network: the same rules, and draws out of a seed.

Must never depend on anything but the seed and the number of a match, so that any number of processes plays the same.
"""

from collections.abc import Iterator, Sequence

from sunward_node.bots.bot import Bot, say
from sunward_protocol.audit import Turned
from sunward_protocol.domains import Domain, digest, numbers
from sunward_protocol.draws import DrawStream
from sunward_protocol.games.game import Position
from sunward_protocol.ids import Digest
from sunward_protocol.ledger import Move


def seed_of(seed: str, number: int) -> Digest:
    """Return the seed of one match of a series."""
    return digest(Domain.STREAM, b"match", seed.encode(), numbers(number))


def play(position: Position, bots: Sequence[Bot], seed: Digest) -> Iterator[Turned]:
    """Play a match that begins at `position` to its end, and yield its turns, the set-up first.

    Each draw and each bot has its own luck, so what one bot asks of it changes nothing for the others. Raises
    `IllegalAction` if a bot breaks the rules.
    """
    luck = [DrawStream(digest(Domain.STREAM, b"bot", seed, numbers(seat))) for seat in range(position.seats)]
    moves: tuple[Move, ...] = ()
    step = 0
    while True:
        randomness = None
        if position.chance_due():
            randomness = digest(Domain.STREAM, b"draw", seed, numbers(step))
            position.draw(DrawStream(randomness))
        yield Turned(step, moves, randomness)
        if position.result() is not None:
            return
        said = [(seat, say(bots[seat], position, seat, luck[seat])) for seat in position.to_act()]
        moves = tuple(Move(seat, action) for seat, actions in said for action in actions)
        for move in moves:
            position.check(*move)
            position.apply(*move)
        step += 1
