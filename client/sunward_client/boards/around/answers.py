"""Once Around The Sun in words for whoever asks: what was played in short, what is waited for, who stands where.

Must never decide anything: it words the export's state, and its sums are the engine's own.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from sunward_client.boards.around.shape import State
from sunward_client.boards.around.table import deeds, track_line, tracks_of
from sunward_client.boards.board import Step, View
from sunward_client.columns import fit, pad
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games import game
from sunward_protocol.games.around.position import Position
from sunward_protocol.games.around.scoring import good_deeds, standings
from sunward_protocol.games.game import Json, Seat


def statistics(draws: Sequence[Json], names: Sequence[str], width: int) -> list[str]:
    """Return how often each card was turned over, and how often each seat came first in the order of a round."""
    cards: Counter[str] = Counter()
    firsts: Counter[Seat] = Counter()
    reshuffles = 0
    for drawn in cast("Sequence[dict[str, object]]", draws):
        match drawn:
            case {"card": str(card)}:
                cards[card] += 1
            case {"order": order}:
                firsts[cast("list[Seat]", order)[0]] += 1
            case _:
                reshuffles += 1
    orders = firsts.total()
    turned = ", ".join(f"{card} {count}" for card, count in sorted(cards.items(), key=lambda item: (-item[1], item[0])))
    lines = [f"Cards turned over: {cards.total()}, with {reshuffles} reshuffles: {turned or 'none'}"]
    if orders:
        lines.append(f"First in the order of {orders} rounds (even would be {orders / len(names):.1f} each):")
        lines += [f"  {pad(name, 24)}{firsts[seat]:>4}" for seat, name in enumerate(names)]
    return [part for line in lines for part in fit(line, width)]


def brief(step: Step, look: Look) -> str:
    """Return where an action led, and what it brought its own seat and whoever is told."""
    before, after = cast("State", step.before), cast("State", step.after)
    match cast("dict[str, object]", step.action):
        case {"type": "trip", "destination": str(name)}:
            said = f"{name} {max(space for space, seat in after['tracks'][name] if seat == step.seat)}"
        case {"type": "deed", "row": str(name)}:
            said = f"{name} {next(space for space, seat in after['rows'][name] if seat == step.seat)}"
        case {"type": "partner", "seat": int(partner)}:
            said = f"deal with {look.badge(partner)}"
        case {"choice": choice}:
            said = f"deal: {choice}"
        case _:
            said = "played"
    gains = [new - old for old, new in zip(before["scores"], after["scores"], strict=True)]
    paid = [f"+{gains[step.seat]}"] if gains[step.seat] else []
    if step.you is not None and step.you != step.seat and gains[step.you]:
        paid.append(f"you +{gains[step.you]}")
    return (said + (f" ({', '.join(paid)})" if paid else "")).replace(" ", NO_BREAK)


def situation(view: View) -> str:
    """Return what the table waits for, and what it means for whoever looks."""
    state = cast("State", view.state)
    active = state["order"][state["turn"]]
    who = "you" if active == view.you else view.names[active]
    deal = state["deal"]
    if state["phase"] == "over":
        return "The match is over."
    if state["phase"] == "partner":
        return f"{_capital(who)} passed 32 first there and may name the partner of a deal. {_PAYS}"
    if deal is not None:
        partner = "you" if deal["partner"] == view.you else view.names[deal["partner"]]
        made = "make" if who == "you" else "makes"
        mine = view.you in (active, deal["partner"])
        return f"{_capital(who)} {made} a deal with {partner} on {deal['destination']}. {_YOURS if mine else _PAYS}"
    plays = "You play" if who == "you" else f"{who} plays"
    card = "one face-up card" if state["actions_left"] == 1 else f"{state['actions_left']} face-up cards in turn"
    return f"{plays} {card}: a destination is a trip, the others are good deeds."


_PAYS = "Both cooperate: 1 each. One reneges: 2 for that one, 0 for the other. Both renege: 0."
_YOURS = "Both cooperate: 1 each; you alone renege: 2 for you; they alone renege: 2 for them; both renege: 0."


def pressing(view: View) -> bool:
    """Whether there is a deal to be understood."""
    return cast("State", view.state)["phase"] in ("partner", "deal")


def known(view: View) -> Iterable[tuple[str, str]]:
    """Yield every track and row, and who is on it."""
    for track in tracks_of(view):
        yield track["name"], track_line(view, track)
    for row, tokens in cast("State", view.state)["rows"].items():
        yield row, f"{row}: {', '.join(f'{view.look.badge(seat)} {space}' for space, seat in tokens) or 'empty'}"


def hint(_view: View, _choice: str) -> str:
    """Return nothing: a trip and a deed say what they are."""
    return ""


def holding(view: View, seat: Seat) -> str:
    """Return where a seat's tokens are and what it has."""
    state = cast("State", view.state)
    tracks = [
        f"{name} {' and '.join(str(space) for space, owner in tokens if owner == seat)}"
        for name, tokens in state["tracks"].items()
        if any(owner == seat for _, owner in tokens)
    ]
    return (
        f"{view.names[seat]}: {', '.join(tracks) or 'on no track'}; good deeds {deeds(state, seat)}; "
        f"{state['tokens'][seat]} in hand; {state['scores'][seat]} points, {view.totals[seat]} if over now."
    )


def reckoning(position: game.Position) -> list[tuple[str, Sequence[int]]]:
    """Return what the final scoring would make of a position now (E2, E3): each part by seat, the total last."""
    if not isinstance(position, Position):
        raise TypeError(f"{type(position).__name__} is no position of this game")
    totals = standings(position)
    deed_points = [highest * count for highest, count in (good_deeds(position, seat) for seat in range(position.seats))]
    tracks = [total - during - deed for total, during, deed in zip(totals, position.scores, deed_points, strict=True)]
    return [("during", position.scores[:]), ("tracks", tracks), ("good deeds", deed_points), ("total", totals)]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
