"""Once Around The Sun once more, plainly: a second opinion that shares nothing with the engine but the export's words.

Cards are names, actions and draws are the export's objects, every action works on a deep copy. It must never import the
engine, and it is never made faster: the engine's speed is measured against it too.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

Record: TypeAlias = dict[str, "str | int | bool | list[int] | None"]


class Fate(Protocol):
    """What chance decides, in the rules' own terms."""

    def card(self, deck: list[str]) -> str:
        """Return one of the cards, each physical card being equally likely."""
        ...

    def order(self, seats: int) -> list[int]:
        """Return a turn order."""
        ...


@dataclass
class Token:
    space: int
    owner: int


@dataclass
class FameTrack:
    name: str
    inner: bool
    last: int
    circle: int
    hidden_agenda: bool
    tokens: list[Token] = field(default_factory=list[Token])
    eight: bool = False
    thirty_two: bool = False
    passed_circle: bool = False
    finished: bool = False

    def of(self, seat: int) -> list[Token]:
        return sorted((token for token in self.tokens if token.owner == seat), key=lambda token: token.space)


@dataclass
class DeedRow:
    name: str
    last: int
    places: dict[int, int] = field(default_factory=dict[int, int])
    finished: bool = False


@dataclass
class Player:
    hand: int
    score: int = 0
    inner_bonus: bool = False
    outer_bonus: bool = False


@dataclass
class Trip:
    """The trip under way while a partner or a deal is open."""

    track: str
    end: int
    partner: int | None = None
    choices: dict[int, str] = field(default_factory=dict[int, str])


@dataclass
class Table:
    tracks: dict[str, FameTrack]
    rows: dict[str, DeedRow]
    place_scores: list[int]
    players: list[Player]
    display: list[str | None]
    deck: list[str]
    discards: list[str] = field(default_factory=list[str])
    new_deck: bool = True
    round: int = 1
    order: list[int] = field(default_factory=list[int])
    turn: int = 0
    actions_left: int = 2
    phase: str = "action"
    trip: Trip | None = None
    used: str | None = None
    draws: list[Record] = field(default_factory=list[Record])

    # --- what is where

    @property
    def active(self) -> int:
        return self.order[self.turn]

    def finished(self, card: str) -> bool:
        return self.tracks[card].finished if card in self.tracks else self.rows[card].finished

    def is_agenda(self, card: str) -> bool:
        return card in self.tracks and self.tracks[card].hidden_agenda

    # --- legal actions

    def to_act(self) -> list[int]:
        if self.phase == "over":
            return []
        if self.phase == "deal":
            trip = self.the_trip()
            assert trip.partner is not None
            return sorted({self.active, trip.partner} - set(trip.choices))
        return [self.active]

    def legal(self, seat: int) -> list[Record]:
        if seat not in self.to_act():
            return []
        if self.phase == "deal":
            return [{"type": "deal", "choice": choice} for choice in ("cooperate", "renege")]
        if self.phase == "partner":
            return [{"type": "partner", "seat": partner} for partner in self.partners()]
        actions: list[Record] = []
        for position, card in enumerate(self.display):
            assert card is not None
            actions += self.trips(position, card) if card in self.tracks else self.deeds(position, card)
        return actions

    def trips(self, position: int, card: str) -> list[Record]:
        trip: Record = {"type": "trip", "destination": card, "position": position}
        if self.players[self.active].hand > 0:
            return [trip | {"take_back": None, "take_back_space": None}]
        return [
            trip | {"take_back": track.name, "take_back_space": token.space}
            for track in self.tracks.values()
            for token in track.of(self.active)
        ]

    def deeds(self, position: int, card: str) -> list[Record]:
        row = self.rows[card]
        if self.active not in row.places and self.players[self.active].hand == 0:
            return []
        others = {seat: space for seat, space in row.places.items() if seat != self.active}
        hindmost = min(others.values(), default=row.last)
        credited: list[int | None] = [seat for seat in sorted(others) if others[seat] == hindmost < row.last]
        return [{"type": "deed", "row": card, "position": position, "credit": credit} for credit in credited or [None]]

    def the_trip(self) -> Trip:
        assert self.trip is not None
        return self.trip

    def partners(self) -> list[int]:
        tokens = self.tracks[self.the_trip().track].tokens
        return sorted({token.owner for token in tokens if token.space < 32 and token.owner != self.active})

    # --- chance

    def turn_over(self, position: int, fate: Fate) -> bool:
        """Take one card off the deck for this position; say whether it stays there."""
        candidates = self.deck
        if self.new_deck:
            candidates = [card for card in self.deck if not self.is_agenda(card)] or self.deck
            self.new_deck = False
        card = fate.card(candidates)
        self.deck.remove(card)
        out = self.finished(card)
        self.draws.append({"card": card, "position": position, "taken_away": out})
        if not out:
            self.display[position] = card
        return not out

    def replace(self, position: int, fate: Fate) -> None:
        while self.deck and not self.turn_over(position, fate):
            pass

    def fill(self, fate: Fate) -> None:
        for position in range(3):
            while self.display[position] is None:
                if not self.deck:
                    self.deck, self.discards = self.discards, []
                    self.new_deck = True
                    self.draws.append({"reshuffle": len(self.deck)})
                self.turn_over(position, fate)

    def settle(self, fate: Fate) -> None:
        while True:
            self.fill(fate)
            if all(card in self.rows for card in self.display):
                leaving = [0, 1, 2]
            else:
                leaving = [
                    position
                    for position, card in enumerate(self.display)
                    if card in self.tracks and self.display.count(card) == 2
                ]
            if not leaving:
                return
            for position in leaving:
                card = self.display[position]
                assert card is not None
                self.discards.append(card)
                self.display[position] = None

    def shuffle_order(self, fate: Fate) -> None:
        self.order = fate.order(len(self.players))
        self.draws.append({"order": list(self.order)})

    # --- actions

    def do(self, seat: int, action: Record, fate: Fate) -> None:
        match action["type"]:
            case "partner":
                partner = action["seat"]
                assert isinstance(partner, int)
                self.the_trip().partner = partner
                self.phase = "deal"
            case "deal":
                self.choose(seat, str(action["choice"]), fate)
            case "trip":
                self.use_card(action, fate)
                self.travel(action, fate)
            case _:
                self.use_card(action, fate)
                self.do_good(action, fate)

    def use_card(self, action: Record, fate: Fate) -> None:
        position = action["position"]
        assert isinstance(position, int)
        self.used = self.display[position]
        self.display[position] = None
        self.replace(position, fate)

    def travel(self, action: Record, fate: Fate) -> None:
        player = self.players[self.active]
        if action["take_back"] is not None:
            source = self.tracks[str(action["take_back"])]
            source.tokens = [token for token in source.tokens if token.space != action["take_back_space"]]
            player.hand += 1
        track = self.tracks[str(action["destination"])]
        highest = max((token.space for token in track.tokens), default=0)
        token = Token(highest * 2 if highest else 1, self.active)
        track.tokens.append(token)
        player.hand -= 1
        mine = track.of(self.active)
        if len(mine) >= 2 and token.space < track.last:
            token.space *= 2
        if len(mine) == 3:
            track.tokens.remove(mine[0])
            player.hand += 1
        if token.space == track.last:
            self.finish(track)
        if token.space >= 8 and not track.eight:
            track.eight = True
            for other in track.tokens:
                if other.space <= 8:
                    self.players[other.owner].score += 1
        self.trip = Trip(track.name, token.space)
        if token.space >= 32 and not track.thirty_two:
            track.thirty_two = True
            partners = self.partners()
            if len(partners) == 1:
                self.trip.partner = partners[0]
                self.phase = "deal"
                return
            if partners:
                self.phase = "partner"
                return
        self.arrive(fate)

    def choose(self, seat: int, choice: str, fate: Fate) -> None:
        trip = self.the_trip()
        trip.choices[seat] = choice
        if len(trip.choices) < 2:
            return
        (one, his), (other, hers) = trip.choices.items()
        for me, mine, theirs in ((one, his, hers), (other, hers, his)):
            if "withheld" in (his, hers):
                gain = 2 if mine != "withheld" else 0
            elif mine == theirs:
                gain = 1 if mine == "cooperate" else 0
            else:
                gain = 2 if mine == "renege" else 0
            self.players[me].score += gain
        self.phase = "action"
        self.arrive(fate)

    def arrive(self, fate: Fate) -> None:
        trip = self.the_trip()
        track = self.tracks[trip.track]
        player = self.players[self.active]
        free = trip.end >= track.circle and not track.passed_circle
        track.passed_circle |= free
        for inner in (True, False):
            group = [other for other in self.tracks.values() if other.inner == inner]
            if all(other.of(self.active) for other in group):
                if inner and not player.inner_bonus:
                    player.inner_bonus = True
                    player.score += 5
                if not inner and not player.outer_bonus:
                    player.outer_bonus = True
                    player.score += 5
        self.trip = None
        self.end_action(free, fate)

    def do_good(self, action: Record, fate: Fate) -> None:
        row = self.rows[str(action["row"])]
        player = self.players[self.active]
        if self.active in row.places:
            row.places[self.active] = min(row.places[self.active] + 1, row.last)
        else:
            row.places[self.active] = 1
            player.hand -= 1
        credit = action["credit"]
        if isinstance(credit, int):
            row.places[credit] += 1
            player.score += row.places[credit]
        if row.places[self.active] == row.last:
            self.finish(row)
        self.end_action(False, fate)

    def finish(self, place: FameTrack | DeedRow) -> None:
        place.finished = True
        self.display = [None if card == place.name else card for card in self.display]

    def end_action(self, free: bool, fate: Fate) -> None:
        assert self.used is not None
        if not self.finished(self.used):
            self.discards.append(self.used)
        self.used = None
        if not free:
            self.actions_left -= 1
        if all(track.finished for track in self.tracks.values()) or all(row.finished for row in self.rows.values()):
            self.phase = "over"
            return
        if self.actions_left == 0:
            self.actions_left = 2
            self.turn += 1
            if self.turn == len(self.players):
                self.turn = 0
                self.round += 1
                self.shuffle_order(fate)
        self.settle(fate)

    # --- what is told

    def state(self) -> dict[str, object]:
        trip = self.trip
        return {
            "round": self.round,
            "order": list(self.order),
            "turn": self.turn,
            "actions_left": self.actions_left,
            "phase": self.phase,
            "display": list(self.display),
            "deck": len(self.deck),
            "discards": sorted(self.discards),
            "out_of_play": sorted(name for name in [*self.tracks, *self.rows] if self.finished(name)),
            "tracks": {
                name: sorted([token.space, token.owner] for token in track.tokens)
                for name, track in self.tracks.items()
            },
            "rows": {
                name: [[row.places[seat], seat] for seat in sorted(row.places)] for name, row in self.rows.items()
            },
            "tokens": [player.hand for player in self.players],
            "scores": [player.score for player in self.players],
            "inner_bonus": [player.inner_bonus for player in self.players],
            "outer_bonus": [player.outer_bonus for player in self.players],
            "milestones": {
                name: {"eight": track.eight, "thirty_two": track.thirty_two, "circle": track.passed_circle}
                for name, track in self.tracks.items()
            },
            "deal": {"active": self.active, "partner": trip.partner, "destination": trip.track}
            if trip and self.phase == "deal"
            else None,
        }

    def final_scores(self) -> list[int]:
        totals = [player.score for player in self.players]
        for track in self.tracks.values():
            owners: list[int] = []
            for token in sorted(track.tokens, key=lambda token: -token.space):
                if token.owner not in owners:
                    owners.append(token.owner)
            for owner, paid in zip(owners, self.place_scores, strict=False):
                totals[owner] += paid * len(track.of(owner))
        for seat in range(len(totals)):
            spaces = [row.places[seat] for row in self.rows.values() if seat in row.places]
            totals[seat] += max(spaces, default=0) * len(spaces)
        return totals


@dataclass
class TrackData:
    name: str
    group: str
    spaces: int
    circle: int
    cards: int


@dataclass
class Box:
    """What the table is built from, as the export's components say it."""

    tracks: list[TrackData]
    row_spaces: int
    places: list[int]
    hand: int


def start(box: Box, seats: int, fate: Fate) -> Table:
    """Return a table after its set-up; its draws are in `draws`."""
    rows = ["dollar", "smiley", "leaf"]
    table = Table(
        tracks={
            data.name: FameTrack(data.name, data.group == "inner", 2 ** (data.spaces - 1), data.circle, data.cards == 2)
            for data in box.tracks
        },
        rows={name: DeedRow(name, box.row_spaces) for name in rows},
        place_scores=box.places,
        players=[Player(box.hand) for _ in range(seats)],
        display=[None, None, None],
        deck=[data.name for data in box.tracks for _ in range(data.cards)] + rows + rows,
    )
    table.fill(fate)
    table.shuffle_order(fate)
    table.settle(fate)
    return table


def step(table: Table, seat: int, action: Record, fate: Fate) -> Table:
    """Return the table after an action and all that chance adds to it; the table given stays as it was."""
    after = deepcopy(table)
    after.draws = []
    after.do(seat, action, fate)
    return after
