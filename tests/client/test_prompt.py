"""What typed lines lead to, without a terminal or a node."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_client.events import Act, Detach, Quit, Turn, read
from sunward_client.model import Model, update
from sunward_client.prompt import COMMANDS, Draft, Reply, answer, complete, draft, menu
from sunward_client.theme import Look
from sunward_protocol.games.game import Position
from support.around_positions import table
from support.fake_gateway import FakeTable
from support.pebbles import CHALLENGE, LAY, ROLL, Table

SETTLED = table("venus mars leaf", mars="blue 8, orange 16", deck="", discards="")
"""Red's trip to mars reaches 32, and with an empty deck red names the partner before anything is drawn."""


def model_at(position: Position, *, step: int = 7) -> Model:
    """Return a model whose red seat is asked for a choice in this position."""
    hello = read(FakeTable().events[0])
    assert hello is not None
    turn = Turn(step, position.to_act(), position.secret)
    return replace(update(Model(Look()), hello), position=position, turn=turn)


def typed(line: str, *, position: Position = SETTLED, held: Draft | None = None) -> Reply:
    model = model_at(position)
    return answer(model, held or draft(model), line, 80)


def test_menu_numbers_the_legal_actions_in_columns() -> None:
    model = model_at(SETTLED)
    held = draft(model)
    assert held is not None
    assert menu(model, held, 80) == ["  1  trip venus    2  trip mars     3  deed leaf"]
    assert menu(model, held, 20) == ["  1  trip venus", "  2  trip mars", "  3  deed leaf"]
    assert menu(model, held, 40) == ["  1  trip venus    3  deed leaf", "  2  trip mars"]


@pytest.mark.parametrize("line", ["1", "trip venus", " TRIP  venus "])
def test_number_and_words_are_the_same_act(line: str) -> None:
    assert typed(line).request == Act((SETTLED.legal(0)[0],), 7)


def test_choices_up_to_the_next_draw_travel_as_one_act() -> None:
    first = typed("trip mars")
    assert first.request is None
    assert first.lines == ["And then?", "  1  partner blue      2  partner orange"]
    assert first.draft is not None
    second = typed("partner orange", held=first.draft)
    after = SETTLED.copy()
    after.apply(0, SETTLED.legal(0)[1])
    assert second.request == Act((SETTLED.legal(0)[1], after.legal(0)[1]), 7)


@pytest.mark.parametrize("action", [LAY, ROLL, CHALLENGE], ids=["others act", "chance", "in secret"])
def test_a_draft_is_whole_where_others_or_chance_or_secrecy_go_on(action: int) -> None:
    empty = Draft(1, 0, Table([0, 0, 0], turns=5, chance=True, due=0))
    assert not empty.whole
    assert empty.choose(action).whole
    assert not empty.choose(action).undo().whole


def test_undo_is_free_until_sent() -> None:
    first = typed("trip mars")
    undone = typed("undo", held=first.draft)
    assert undone.lines[0] == "Undone. Now:"
    assert undone.draft == draft(model_at(SETTLED))
    assert typed("undo").lines == ["Nothing to undo: a choice that has been sent is played."]


def test_deal_is_sealed_and_never_applied_here() -> None:
    position = SETTLED.copy()
    position.apply(0, SETTLED.legal(0)[1])
    position.apply(0, position.legal(0)[0])
    assert position.secret
    before = position.encode()
    reply = typed("deal renege", position=position)
    assert reply == Reply(["Your choice is sealed."], None, Act((position.legal(0)[1],), 7))
    assert position.encode() == before


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("9", "There is no choice 9: type a number from 1 to 3"),
        ("0", "There is no choice 0"),
        ("dance", "'dance' is no action"),
        ("trip", "'trip …' needs a track"),
        ("trip earth", "That may not be done: No Earth card is face up"),
        ("log many", "Say how many entries"),
        ("why", "Say which action"),
        ("why dance", "'dance' is no action"),
        ("why trip venus", "trip venus: allowed now."),
        ("why 2", "trip mars: allowed now."),
        ("why trip earth", "trip earth: not allowed. No Earth card is face up"),
        ("rules R8", "R8: "),
        ("rules nonsense", "There is nothing about 'nonsense'"),
        ("?", "Now: your choice"),
        ("board", "inner  "),
        ("log", "   0  The match begins: R▴ Ann [some short words here]"),
        ("9" * 5000, "There is no choice 9"),
        ("log " + "9" * 5000, "Say how many entries"),
    ],
)
def test_a_line_that_sends_nothing_answers_and_keeps_the_draft(line: str, begins: str) -> None:
    reply = typed(line)
    assert reply.lines[0].startswith(begins)
    assert reply.request is None
    assert reply.draft == draft(model_at(SETTLED))


def test_refusals_name_the_ruling() -> None:
    assert typed("trip mars back mars").lines[0].endswith("(R1)")
    assert typed("why trip mars back mars").lines[0].endswith("(R1, see: rules R1)")


@pytest.mark.parametrize(("line", "request_"), [("quit", Quit()), ("exit", Quit()), ("detach", Detach())])
def test_leaving(line: str, request_: object) -> None:
    assert typed(line).request == request_


def test_out_of_turn_only_questions_are_answered() -> None:
    model = replace(model_at(SETTLED), turn=Turn(7, (1, 2), True))
    assert draft(model) is None
    assert answer(model, None, "trip venus", 80).lines == [
        "Not now: waiting for B◉ Bo and O✚ Cy. Type ? for what can be typed."
    ]
    assert answer(model, None, "?", 80).lines[0] == "Now: waiting for B◉ Bo and O✚ Cy."
    assert answer(Model(Look()), None, "trip venus", 80).lines[0].startswith("Not now: the match has not begun")


def test_completion_offers_legal_actions_then_commands() -> None:
    model = model_at(SETTLED)
    held = draft(model)
    assert complete(model, held, "trip ") == ["trip venus", "trip mars"]
    assert complete(model, held, "de") == ["deed leaf", "detach"]
    assert complete(model, held, "why trip v") == ["why trip venus"]
    assert complete(model, None, "lo") == ["log"]
    assert complete(Model(Look()), None, "") == []


@given(
    line=st.sampled_from([name for c in COMMANDS for name in c.names] + ["trip", "deed", "1"]),
    rest=st.text(max_size=12),
)
def test_whatever_is_typed_nothing_is_raised(line: str, rest: str) -> None:
    typed(f"{line} {rest}")
    typed(rest)
    answer(Model(Look()), None, f"{line} {rest}", 80)
