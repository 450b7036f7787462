"""What a person may choose now: the numbered menu, what a number or typed words mean, and an act being put together.

Must never read, write or send anything, nor know a game: choices are told apart by their words, and the board hints
at what they mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sunward_client.boards import board_of, view_of
from sunward_client.columns import fit, flow
from sunward_client.model import Model, playing
from sunward_protocol.errors import UnreadableAction
from sunward_protocol.games.game import Action, Position, Seat

AT_ONCE = 9
"""The longest menu of whole actions; where there are more, the first two words are chosen first, then the rest."""

_FIRST_WORDS = 2
_TAB = 40
"""Columns from one choice with a hint to the next on its line."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The choices of one act, put together but not yet sent.

    `past` holds the position before each, `begun` the words already chosen of the next.
    """

    step: int
    seat: Seat
    position: Position
    actions: tuple[Action, ...] = ()
    past: tuple[Position, ...] = ()
    begun: str = ""

    @property
    def whole(self) -> bool:
        """Whether nothing more is this seat's to choose before others, chance or secrecy have their say."""
        return bool(self.actions) and self.position.to_act() != (self.seat,)

    @property
    def undoable(self) -> bool:
        """Whether anything has been chosen yet."""
        return bool(self.actions or self.begun)

    def choose(self, action: Action) -> "Draft":
        """Return the draft with a legal action added."""
        position = self.position.copy()
        position.apply(self.seat, action)
        return replace(
            self, position=position, actions=(*self.actions, action), past=(*self.past, self.position), begun=""
        )

    def undo(self) -> "Draft":
        """Return the draft without what was chosen last."""
        if self.begun:
            return replace(self, begun="")
        return replace(self, position=self.past[-1], actions=self.actions[:-1], past=self.past[:-1])


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be typed: an action of the menu, several in a row, or with none of them the first words of some."""

    text: str
    actions: tuple[Action, ...]


def draft(model: Model) -> Draft | None:
    """Return an empty draft if this client's seat is asked for a choice, else None."""
    if model.turn is None or not model.mine:
        return None
    match, position = playing(model)
    assert match.you is not None
    return Draft(model.turn.step, match.you, position)


def choices(model: Model, held: Draft) -> list[Choice]:
    """Return the lines of the menu; their order and number depend on the position alone, never on the window."""
    whole = [choice for choice in _legal(model, held) if f"{choice.text} ".startswith(f"{held.begun} ".lstrip())]
    if len(whole) <= AT_ONCE or len(held.begun.split()) >= _FIRST_WORDS:
        return whole
    groups: dict[str, list[Choice]] = {}
    for choice in whole:
        groups.setdefault(" ".join(choice.text.split()[:_FIRST_WORDS]), []).append(choice)
    return [group[0] if len(group) == 1 else Choice(first, ()) for first, group in groups.items()]


def menu(model: Model, held: Draft, width: int) -> list[str]:
    """Return the numbered choices, in as many columns as fit; of an action begun, only the rest.

    Where the board has a hint what a choice means, it stands beside it, and the choices follow line by line.
    """
    offered = choices(model, held)
    rests = [choice.text.removeprefix(held.begun).lstrip() or "nothing more" for choice in offered]
    texts = [f"{number:>3}  {rest}" for number, rest in enumerate(rests, start=1)]
    hint, view = board_of(model).hint, view_of(model, width, at=held.position)
    hints = [hint(view, choice.text) for choice in offered]
    if any(hints):
        cells = [f"{text} [{said}]" if said else text for text, said in zip(texts, hints, strict=True)]
        return [part for line in flow(cells, width, _TAB) for part in fit(line, width)]
    cell = max(map(len, texts)) + 2
    columns = max(1, width // cell)
    rows = -(-len(texts) // columns)
    return ["".join(text.ljust(cell) for text in texts[row::rows]).rstrip() for row in range(rows)]


def find(model: Model, held: Draft, text: str) -> Choice:
    """Return the choice that a number of the menu or typed words mean, legal or not.

    Each word may be cut short while only one choice begins so. Raises `UnreadableAction` if none or several are meant,
    and `IllegalAction` for one of several in a row.
    """
    text = " ".join(text.lower().split())
    if text.isdecimal():
        offered = {str(number): choice for number, choice in enumerate(choices(model, held), start=1)}
        if text in offered:
            return offered[text]
        if offered:
            raise UnreadableAction(
                f"There is no choice {text[:9]}: type a number from 1 to {len(offered)}, or ? for the list."
            )
    whole = _legal(model, held)
    found = (_meant(whole, f"{held.begun} {text}") if held.begun else None) or _meant(whole, text)
    if found is not None:
        return found
    match, _ = playing(model)
    return Choice(text, match.ruleset.words.read(held.position, held.seat, text))


def complete(model: Model, held: Draft, text: str) -> Sequence[str]:
    """Return what begins with `text`: lines of the menu, or whole actions once their first words are typed.

    Behind an action that is typed whole the next one of the same act is completed.
    """
    firsts = [choice.text for choice in choices(model, held) if choice.text.startswith(text)]
    match, _ = playing(model)
    if found := firsts or match.ruleset.words.complete(held.position, held.seat, text):
        return found
    typed = [choice for choice in _legal(model, held) if text.startswith(f"{choice.text} ")]
    if not typed or held.position.secret:
        return []
    first = max(typed, key=lambda choice: len(choice.text))
    longer = held.choose(*first.actions)
    if longer.whole:
        return []
    return [f"{first.text} {rest}" for rest in complete(model, longer, text[len(first.text) + 1 :])]


def _legal(model: Model, held: Draft) -> list[Choice]:
    words = playing(model)[0].ruleset.words
    position, seat = held.position, held.seat
    return [Choice(words.write(position, seat, action), (action,)) for action in position.legal(seat)]


def _meant(whole: Sequence[Choice], text: str) -> Choice | None:
    """Return the one legal action that is meant, or the first words of several; None if no legal one begins so."""
    by_text = {choice.text: choice for choice in whole}
    if text in by_text:
        return by_text[text]
    typed = text.split()
    left = [(choice.text.split(), choice) for choice in whole]
    for index, word in enumerate(typed):
        fitting = [
            (words, choice) for words, choice in left if words[index : index + 1] and words[index].startswith(word)
        ]
        left = [(words, choice) for words, choice in fitting if words[index] == word] or fitting
    begun = list(dict.fromkeys(" ".join(words[: len(typed)]) for words, _ in left))
    if not begun or not typed:
        return None
    if len(begun) > 1:
        raise UnreadableAction(f"{text!r} could be {' or '.join(begun)}: type a little more.")
    if len(left) == 1 and len(typed) >= _FIRST_WORDS:
        return left[0][1]
    return by_text.get(begun[0]) or Choice(begun[0], ())
