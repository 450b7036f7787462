"""The components as the rules look things up: one table a question, indexed by card; never a state.

A *card* is known by what it leads to: 0 .. tracks-1 are the fame tracks in the file's order, then come the rows. The
cards of one track or row are interchangeable, so a deck is a multiset of these numbers. The space with the number 2**k
of a track is the bit k, hence a set of spaces is the sum of their numbers.
"""

from dataclasses import dataclass
from struct import Struct
from typing import Final

from sunward_protocol.games.around.components import MARKERS, Components

COLOURS: Final = ("red", "blue", "orange", "green", "black", "pink")
"""By seat."""
SEATS: Final = range(3, len(COLOURS) + 1)
EIGHT: Final = 8
"""The space that makes a track known (R7)."""
THIRTY_TWO: Final = 32
"""The space that calls for a deal (R8)."""


@dataclass(frozen=True, slots=True)
class Board:
    """Tables of one set of components; everything indexed by card unless said otherwise."""

    components: Components
    tracks: int
    """How many tracks there are: the first card that is a good deed."""
    cards: int
    """How many different cards there are: tracks and rows."""
    names: tuple[str, ...]
    hidden: tuple[bool, ...]
    """Whether the card is a Hidden Agenda, one of two of its track."""
    last: tuple[int, ...]
    """The number of the last space, of a track or a row."""
    circle: tuple[int, ...]
    """The number of the space with the red circle; by track."""
    alert: tuple[int, ...]
    """The lowest space of a track on which anything happens once a game (R7 to R9); by track."""
    companions: tuple[tuple[int, ...], ...]
    """All tracks of the track's own group (R10); by track."""
    outer: tuple[int, ...]
    """The track's group as a number, 0 inner and 1 outer; by track."""
    usable: int
    """Tokens in hand at the start (C1)."""
    places: tuple[int, ...]
    all_tracks: int
    all_rows: int
    """Bit sets of cards: what being finished ends the game (E1)."""
    deck: int
    """The whole deck as a multiset, two bits a card."""
    layouts: tuple[Struct, ...]
    """How a state is packed into bytes; by number of seats."""

    @classmethod
    def of(cls, components: Components) -> "Board":
        tracks = components.tracks
        rows = components.rows
        count = len(tracks)
        copies = [track.cards for track in tracks] + [components.row_cards] * len(rows)
        groups = [[index for index, track in enumerate(tracks) if track.group == own.group] for own in tracks]
        cards = len(copies)
        return cls(
            components=components,
            tracks=count,
            cards=cards,
            names=tuple(track.name for track in tracks) + rows,
            hidden=tuple(track.cards == 2 for track in tracks) + (False,) * len(rows),
            last=tuple(1 << track.spaces - 1 for track in tracks) + (components.row_spaces,) * len(rows),
            circle=tuple(track.circle for track in tracks),
            alert=tuple(min(EIGHT, track.circle) for track in tracks),
            companions=tuple(tuple(group) for group in groups),
            outer=tuple(int(track.group == "outer") for track in tracks),
            usable=components.tokens - MARKERS,
            places=components.places,
            all_tracks=(1 << count) - 1,
            all_rows=(1 << cards) - (1 << count),
            deck=sum(copy << 2 * card for card, copy in enumerate(copies)),
            layouts=tuple(
                Struct(f">BH{seats}B8Bb3bQIQH{(seats + 1) * count}H{len(rows)}I{seats}B{seats}H")
                for seats in range(SEATS.stop)
            ),
        )
