"""A host whose table has clocks: the genesis that it proposes names them.

Must never propose anything else than a host without clocks does.
"""

from sunward_protocol import limits
from sunward_protocol.domains import Purpose
from sunward_protocol.genesis import Genesis
from sunward_protocol.identity import Signatures
from sunward_protocol.table.host import Host
from sunward_protocol.table.lobby import Myself, Phase, Prepare, Table
from sunward_protocol.table.steps import Entropy

Clock = tuple[tuple[str, int], ...]
"""Seconds by what they are for, sorted, as `sunward_protocol.table.clocks.POLICY` names them; () for no clocks."""


class TimedHost(Host):
    """The side of a lobby that opens a table with clocks."""

    def __init__(self, me: Myself, table: Table, signatures: Signatures, entropy: Entropy, clock: Clock) -> None:
        super().__init__(me, table, signatures, entropy)
        self.clock = clock

    def _propose(self, now: float) -> None:
        genesis = Genesis(
            self._table,
            self.table.ruleset.game.name,
            self.table.ruleset.game.rules_version,
            self.lobby.options,
            self.table.ruleset.components,
            self.clock,
            self.table.chain_length,
            self._seating(),
            (self.me.member, *(guest.member for guest in self._guests.values())),
        )
        self.phase, self._void_at, self._genesis = Phase.SEALING, now + limits.SEAL_PATIENCE, genesis
        self._answers.append(Prepare(genesis, 0, self._endpoints))
        self._seals = {0: self.me.identity.sign(Purpose.SEAL, genesis.body)}
        self._send_proposal(dict(enumerate(self._guests, 1)), now)


def told(clock: Clock) -> str:
    """Return what a clock means for whoever sits down, as one sentence."""
    seconds = dict(clock)
    return (
        f"This table has clocks: {seconds['bank']} s to think each, and {seconds['increment']} s more every turn. "
        "Whoever has none left plays on autopilot until they come back."
    )
