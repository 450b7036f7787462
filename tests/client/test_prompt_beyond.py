"""What lines typed at a table of Beyond the Sun lead to, without a terminal or a node."""

from dataclasses import replace

import pytest

from sunward_client.choices import draft, menu
from sunward_client.command import Reply
from sunward_client.events import Turn
from sunward_client.model import Match, Model
from sunward_client.prompt import answer, complete, offer
from sunward_client.requests import Act
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games.beyond.position import Position
from support.beyond_positions import BUILTIN, TECHNOLOGIES, act, effect, table, turn_up

PEOPLE = ("Ann", "Bo", "Cy", "Di")


def model_at(position: Position) -> Model:
    """Return a model whose red seat is asked for a choice in this position."""
    names = tuple(Look().name(seat, name) for seat, name in enumerate(PEOPLE[: position.seats]))
    match = Match(BUILTIN, "m", names, ("some words",) * position.seats, 0)
    return replace(Model(Look(), match, position), turn=Turn(7, position.to_act(), secret=False))


def typed(line: str, position: Position | None = None) -> Reply:
    model = model_at(position or table())
    return answer(model, draft(model), line, 80)


def test_a_whole_turn_in_one_line_is_one_act() -> None:
    reply = typed("go ship-and-jump no jump sol>proxima done produce growth")
    position = table()
    chosen: list[int] = []
    for text in ("go ship-and-jump", "no", "jump sol>proxima", "done", "produce growth"):
        chosen += BUILTIN.words.read(position, 0, text)
        act(position, text)
    assert reply.request == Act(tuple(chosen), 7)


def test_a_part_of_a_turn_in_one_line_is_a_draft_that_is_undone_choice_by_choice() -> None:
    reply = typed('go "Ship and Jump" no jump sol>a1')
    assert reply.request is None
    assert reply.draft is not None
    assert len(reply.draft.actions) == 3
    undone = answer(model_at(table()), reply.draft, "undo", 80)
    assert undone.draft is not None
    assert len(undone.draft.actions) == 2


def test_a_line_of_several_says_which_is_not_legal_and_why() -> None:
    line = "go ship-and-jump no jump sol>deep"
    reason = "'jump sol>deep': No line leads from Sol to Deep: one point moves one ship along one line."
    reply = typed(line)
    assert reply.lines == [f"That may not be done: {reason} (J2)"]
    assert reply.draft is not None
    assert reply.draft.actions == ()
    assert typed(f"why {line}").lines == [f"{line}: not allowed. {reason} (J2, see: rules J2)"]


def test_why_tells_all_of_a_line() -> None:
    (line,) = typed("why go ship-and-jump no jump sol>proxima").lines
    assert line.startswith("go ship-and-jump no jump sol>proxima: allowed now. The log would say: R")
    assert line.count("Ann") >= 3


def test_completion_goes_on_behind_a_whole_action() -> None:
    model = model_at(table())
    held = draft(model)
    assert complete(model, held, "go ship-and-jump ") == ["go ship-and-jump yes", "go ship-and-jump no"]
    assert complete(model, held, "go ship-and-jump no jump sol>p") == ["go ship-and-jump no jump sol>proxima"]
    whole = "go ship-and-jump no done produce "
    assert complete(model, held, whole) == [f"{whole}{kind}" for kind in ("growth", "ore", "trade")]
    assert complete(model, held, f"{whole}growth ") == []
    assert complete(model, held, "go moon ") == []


def test_the_menu_says_what_every_space_costs_and_does() -> None:
    model = model_at(table())
    held = draft(model)
    assert held is not None
    assert menu(model, held, 80) == [
        "  1  go research-one [research I]",
        "  2  go research-one-late [1 ore: research I]",
        "  3  go ship-and-jump [may [enlist 1]; jump 2]",
        "  4  go ship-and-jump-late [1 ore: may [enlist 1]; jump 2]",
        "  5  go grow-and-mine [grow 1; gain 1]",
    ]
    wide = "  1  go research-one [research I]         2  go research-one-late [1 ore: research I]"
    assert menu(model, held, 90)[0] == wide


def test_the_cards_offered_are_shown_while_choosing() -> None:
    position = effect(table(), "keep II")
    turn_up(position, "Mass Cloning", "Long Haul")
    held = draft(model_at(position))
    assert held is not None
    shown = " ".join(line.strip() for line in offer(model_at(position), held, 80))
    box = position.board.components
    for name in ("Mass Cloning", "Long Haul"):
        card = box.technologies[TECHNOLOGIES[name]]
        assert f"IMMEDIATE {position.board.texts[card.immediate]}" in shown
        assert all(f"space {position.board.texts[space]}" in shown for space in card.spaces)


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("mass-cloning", "Mass Cloning (level II, economic) | IMMEDIATE "),
        ('"Mass Cloning"', "Mass Cloning (level II, economic) | IMMEDIATE "),
        ("MASS C", "Mass Cloning (level II, economic) | IMMEDIATE "),
        ("vega", "Vega: power "),
        ("b1", "Vega: power "),
        ("census", "Census (event of level II): "),
        ("treasury", "Treasury (ore "),
        ("armada", "Armada (power "),
        ("meridian", "Meridian Combine: growth A B C D E | ore 1 1 1 1 "),
        ("land", "land-office: 4 ore: colonize (covered)"),
        ("enlist", "enlist L [at PLACE]: a population cube becomes a ship of level L"),
        ("humane", "ability humane: 1 ore may stand for one of the population"),
        ("spaces", "spaces open to you: research-one (research I) | "),
        ("b", f"B◉{NO_BREAK}Bo: "),
        ("mer", "'mer' could be mercenary-fleet, meridian-combine: type a little more."),
        ("jones", "There is no place and nobody called 'jones' here."),
    ],
)
def test_whoever_asks_is_told_what_a_card_says(asked: str, begins: str) -> None:
    assert typed(f"who {asked}").lines[0].startswith(begins)


def test_completion_knows_the_names() -> None:
    model = model_at(table())
    assert complete(model, None, "who mass") == ["who mass-cloning"]
    assert complete(model, draft(model), "who mer") == ["who mercenary-fleet", "who meridian-combine"]
    assert complete(model, None, "who Mass Cl") == ["who mass-cloning"]
    assert complete(model, None, "who jones") == []


def test_questions_are_about_the_table_as_the_choices_made_so_far_have_left_it() -> None:
    model = model_at(table(ore=[5]))
    trading = answer(model, draft(model), "go grow-and-mine produce trade", 80)
    assert trading.lines == [
        "You are to trade as often as wanted, or be done. You have 6 ore and 3 population.",
        "(undo goes back)",
        "  1  trade ore [3 ore: grow 1]            2  trade population [1 pop: gain 1]",
        "  3  trade ship 1 sol [1 ore, ship: 1 population]",
        "  4  done",
    ]
    traded = answer(model, trading.draft, "trade ore", 80)
    assert (
        answer(model, traded.draft, "where", 80).lines[0].startswith(f"R▴{NO_BREAK}Ann: Disciples of the Cosmic Taber")
    )
    assert "; 3 ore (produces 1); 4 population (grows A); " in answer(model, traded.draft, "where", 80).lines[0]
    assert any(line.startswith("R▴ you  1    3+1  4+A ") for line in answer(model, traded.draft, "board", 80).lines)
