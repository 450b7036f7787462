"""What typed lines lead to, without a terminal or a node."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunward_client.choices import Draft, draft, menu
from sunward_client.command import Reply
from sunward_client.events import Change, Lobby, Member, Offer, Turn, read
from sunward_client.following import update
from sunward_client.model import Model
from sunward_client.prompt import COMMANDS, answer, complete, is_command, offer
from sunward_client.requests import (
    Act,
    Adjourn,
    Detach,
    GoOn,
    Invite,
    LetPlay,
    PutOut,
    Quit,
    Ready,
    Request,
    Say,
    TakeBack,
    Wait,
)
from sunward_client.theme import NO_BREAK, Look
from sunward_protocol.games.beyond import BEYOND
from sunward_protocol.games.game import Position
from support.around_positions import BUILTIN as AROUND
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
    assert first.lines[-2:] == ["(undo goes back)", "  1  partner blue      2  partner orange"]
    assert first.lines[0].startswith("You passed 32 first there and may name the partner of a deal.")
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
        ("trip c", "'trip …' needs a track, not 'c'"),
        ("trip earth", "That may not be done: No Earth card is face up"),
        ("log many", "Say how many entries"),
        ("why", "Say which action"),
        ("why dance", "'dance' is no action"),
        (
            "why trip venus",
            f"trip venus: allowed now. The log would say: R▴{NO_BREAK}Ann travelled to Venus, to space 1.",
        ),
        ("why 2", f"trip mars: allowed now. The log would say: R▴{NO_BREAK}Ann travelled to Mars, to space 32;"),
        ("why trip", "trip: allowed, and goes on with one of these:"),
        ("who mars", f"mars (to 512, circle 128): 16{NO_BREAK}O✚, 8{NO_BREAK}B◉; to come: 32 free"),
        ("who leaf", "leaf: empty"),
        ("who bo", f"B◉{NO_BREAK}Bo: mars 8; "),
        ("who nobody", "There is no place and nobody called 'nobody' here."),
        ("who", f"R▴{NO_BREAK}Ann (red) [some short words here], you"),
        ("where am i", f"R▴{NO_BREAK}Ann: on no track; good deeds d- s- l-; 14 in hand; 0 points, 0 if over now."),
        ("where", f"R▴{NO_BREAK}Ann: on no track; "),
        ("where orange", f"O✚{NO_BREAK}Cy: mars 16; "),
        ("where nobody", "Say whose: where red"),
        ("say", "Say what"),
        ("say " + "x" * 201, "That is 201 characters: 200 are the most at once."),
        ("mute Zoe", "Say whom, by a name only one has or the words of their key: "),
        ("ready", "There is nothing to be ready for"),
        ("rematch", "The match is not over yet"),
        ("why trip earth", "trip earth: not allowed. No Earth card is face up"),
        ("rules R8", "R8: "),
        ("rules nonsense", "There is nothing about 'nonsense'"),
        ("?", "You play 2 face-up cards in turn: a destination is a trip, "),
        ("board", "inner  "),
        ("log", f"   0  The match begins: R▴{NO_BREAK}Ann, B◉{NO_BREAK}Bo, O✚{NO_BREAK}Cy."),
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
        f"Not now: waiting for B◉{NO_BREAK}Bo and O✚{NO_BREAK}Cy. Type ? for what can be typed."
    ]
    assert (
        answer(model, None, "?", 80).lines[0]
        == "You play 2 face-up cards in turn: a destination is a trip, the others are good deeds."
    )
    assert answer(Model(Look()), None, "trip venus", 80).lines[0].startswith("Not now: joining the table")


def test_completion_offers_legal_actions_then_commands() -> None:
    model = model_at(SETTLED)
    held = draft(model)
    assert complete(model, held, "trip ") == ["trip venus", "trip mars"]
    assert complete(model, held, "de") == ["deed leaf", "detach"]
    assert complete(model, held, "why trip v") == ["why trip venus"]
    assert complete(model, None, "lo") == ["log"]
    assert complete(model, None, "re") == []
    assert complete(Model(Look()), None, "") == []


TOKENS = {
    "earth": "red 1, red 4",
    "mars": "red 8",
    "belt": "red 2",
    "pluto": "red 1",
    "uranus": "red 1",
    "saturn": "red 4",
}
EMPTY_HANDED = table("venus neptune leaf", hand=(0, 14, 14), tokens=TOKENS)
"""Red has no token in hand and seven to take back: fourteen trips, and no way to begin the leaf row."""


def test_a_long_menu_is_chosen_from_in_two_steps() -> None:
    first = typed("1", position=EMPTY_HANDED)
    model = model_at(EMPTY_HANDED)
    held = draft(model)
    assert held is not None
    assert menu(model, held, 80) == ["  1  trip venus      2  trip neptune"]
    assert first.request is None
    assert first.lines[0] == "trip venus: which? (undo goes back)"
    assert first.lines[1].split() == [
        "1",
        "back",
        "earth",
        "1",
        "3",
        "back",
        "mars",
        "5",
        "back",
        "saturn",
        "7",
        "back",
        "pluto",
    ]
    assert first.draft is not None
    assert typed("undo", position=EMPTY_HANDED, held=first.draft).draft == held


@pytest.mark.parametrize(
    "lines", [("1", "3"), ("trip ven", "back mars"), ("trip venus back mars",), ("tr v b m",), ("trip", "1", "b mar")]
)
def test_every_way_of_typing_one_trip_is_the_same_act(lines: tuple[str, ...]) -> None:
    held: Draft | None = None
    reply = Reply()
    for line in lines:
        reply = typed(line, position=EMPTY_HANDED, held=held)
        held = reply.draft
    texts = {AROUND.words.write(EMPTY_HANDED, 0, action): action for action in EMPTY_HANDED.legal(0)}
    assert reply.request == Act((texts["trip venus back mars"],), 7)


def test_words_that_could_be_several_ask_for_more() -> None:
    assert typed("trip v back s", position=EMPTY_HANDED).request is not None
    assert (
        typed("trip venus back ear", position=EMPTY_HANDED).lines[0] == "trip venus back earth: which? (undo goes back)"
    )
    assert typed("trip venus back x", position=EMPTY_HANDED).lines[0].startswith("'trip …' needs a track, not 'x'")
    position = table("venus mars mercury")
    assert typed("trip m", position=position).lines == [
        "'trip m' could be trip mars or trip mercury: type a little more."
    ]


def test_the_first_line_of_the_menu_always_leads_to_a_legal_action() -> None:
    first = typed("1", position=EMPTY_HANDED)
    second = typed("1", position=EMPTY_HANDED, held=first.draft)
    assert isinstance(second.request, Act)
    EMPTY_HANDED.check(0, second.request.actions[0])


def test_a_deal_explains_itself_above_the_choices() -> None:
    position = SETTLED.copy()
    position.apply(0, SETTLED.legal(0)[1])
    position.apply(0, position.legal(0)[0])
    model = model_at(position)
    held = draft(model)
    assert held is not None
    about, choices = offer(model, held, 80)
    assert about.startswith(f"You make a deal with B◉{NO_BREAK}Bo on mars. Both cooperate: 1 each; you alone renege: 2")
    assert choices == "  1  deal cooperate    2  deal renege"
    assert typed("co-operate", position=position).lines[0].startswith("'co-operate' is no action")
    assert typed("deal co-operate", position=position).request == Act((position.legal(0)[0],), 7)


def test_undo_is_offered_only_where_it_has_a_use() -> None:
    first = typed("trip mars")
    assert not any("undo" in line for line in typed("?").lines)
    assert any(line.startswith("  undo ") for line in typed("?", held=first.draft).lines)


def lobby(*members: Member) -> Model:
    return update(Model(Look()), Lobby("", (Member("Ann", "a b", False, None), *members), 0, 3))


def test_in_a_lobby_one_is_ready_speaks_and_sees_who_is_there() -> None:
    model = lobby(Member("Bo", "c d", True, None), Member("Hal", "e f", True, "Bo"))
    assert answer(model, None, "ready", 80).request == Ready(True)
    assert answer(model, None, "unready", 80).request == Ready(False)
    assert answer(model, None, "say  hello\x07 there ", 80).request == Say("hello there")
    assert answer(model, None, "who", 80).lines == [
        "Ann [a b], you, not ready",
        "Bo [c d], ready",
        "Hal [e f], bot of Bo, ready",
    ]
    assert answer(model, None, "?", 80).lines[:2] == [
        "Now: 3 of 3 at the table.",
        "  ?               what can be done here and now",
    ]
    assert answer(Model(Look()), None, "who", 80).lines == ["Nobody is known yet: joining the table."]


def test_muting_by_the_beginning_of_a_name() -> None:
    model = lobby(Member("Bo", "c d", True, None), Member("Bob", "e f", True, None))
    assert answer(model, None, "mute b", 80).muted is None
    assert answer(model, None, "mute bo", 80).muted == ("c d",)
    muted = replace(model, muted=("c d", "e f"))
    assert answer(muted, None, "who", 80).lines[1] == "Bo [c d], ready, muted"
    assert answer(muted, None, "unmute BOB", 80) == Reply(["You hear Bob again."], muted=("c d",))


def test_who_took_another_s_name_is_muted_by_the_words_of_their_key() -> None:
    model = lobby(Member("Ann", "c d", True, None))
    assert answer(model, None, "mute ann", 80).lines == [
        "Say whom, by a name only one has or the words of their key: Ann [a b], Ann [c d]."
    ]
    assert answer(model, None, "mute C D", 80).muted == ("c d",)


def test_a_rematch_needs_an_offer() -> None:
    over = replace(model_at(SETTLED), file="/m", turn=None)
    assert answer(over, None, "rematch", 80).lines == ["Nobody has offered another match yet."]
    assert answer(replace(over, offer=Offer("Bo", "sunward1")), None, "rematch", 80).invite == "sunward1"


def test_commands_are_told_from_actions() -> None:
    assert is_command("say hi")
    assert is_command("")
    assert not is_command("1")


@given(
    line=st.sampled_from([name for c in COMMANDS for name in c.names] + ["trip", "deed", "1"]),
    rest=st.text(max_size=12),
)
def test_whatever_is_typed_nothing_is_raised(line: str, rest: str) -> None:
    typed(f"{line} {rest}")
    typed(rest)
    answer(Model(Look()), None, f"{line} {rest}", 80)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("putout blue", PutOut((1,))),
        ("putout Bo", PutOut((1,))),
        ("putout nobody", Wait()),
        ("takeback", TakeBack()),
        ("takeback 12", TakeBack(12)),
        ("adjourn", Adjourn()),
        ("wait", Wait()),
        ("invite", Invite()),
        ("bot greedy", LetPlay("greedy")),
        ("me", LetPlay(None)),
    ],
)
def test_wishes_that_can_be_typed(line: str, request_: Request) -> None:
    assert typed(line).request == request_


def test_after_the_end_invite_says_what_somebody_who_lost_the_match_may_have() -> None:
    over = replace(model_at(SETTLED), file="/m.sunward", turn=None)
    reply = answer(over, None, "invite", 80)
    assert reply.request is None
    assert reply.lines[0].endswith("may have a copy of your match file: /m.sunward")


COMPONENTS = BEYOND.builtin().decode()


def listed(model: Model) -> set[str]:
    """Return the words that `?` lists."""
    return {line.split()[0] for line in answer(model, None, "?", 80).lines if line.startswith("  ")}


def test_invite_is_listed_where_somebody_may_come_back() -> None:
    """Also before anybody is put out: whoever lost their files may have the line first."""
    model = replace(model_at(SETTLED), turn=None)
    ann, bo = Member("Ann", "a b", True, None), Member("Bo", "c d", True, None)
    assert "invite" in listed(model)
    assert "invite" in listed(replace(model, lobby=Lobby("", (ann, bo), 0, 3)))
    assert "invite" not in listed(replace(model, lobby=Lobby("", (ann, Member("Hal", "e f", True, "Ann")), 0, 3)))
    assert "invite" not in listed(replace(model, file="/m"))
    two = read({**FakeTable().events[0], "names": ["Ann", "Bo"], "game": "beyond", "components": COMPONENTS})
    assert two is not None
    assert "invite" not in listed(update(Model(Look()), two))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("putout", "Say whom"),
        ("putout Zoe", "Say whom"),
        ("takeback it", "Say from which step"),
        ("bot", "Say which bot"),
    ],
)
def test_wishes_that_say_too_little(line: str, says: str) -> None:
    reply = typed(line)
    assert reply.request is None
    assert reply.lines[0].startswith(says)


@pytest.mark.parametrize(
    ("change", "request_"),
    [
        (Change((1,), (), None, adjourned=False), PutOut((1,))),
        (Change((), (), 9, adjourned=False), TakeBack(9)),
        (Change((), (), None, adjourned=True), Adjourn()),
    ],
)
def test_yes_wants_what_another_wants(change: Change, request_: Request) -> None:
    model = replace(model_at(SETTLED), claims=((2, change),))
    assert answer(model, draft(model), "yes", 80).request == request_
    assert any(line.startswith("  yes") for line in answer(model, draft(model), "?", 80).lines)
    assert typed("yes").lines == ["Nobody wants anything of you just now."]


def test_back_is_for_whoever_was_put_out_or_rests() -> None:
    model = replace(model_at(SETTLED), turn=None)
    assert answer(model, None, "back", 80).lines == ["You are playing already."]
    assert answer(replace(model, out=(0,)), None, "back", 80).request == GoOn()
    assert answer(replace(model, resting=True), None, "back", 80).request == GoOn()
    rest = Change((), (), None, adjourned=False)
    resting = replace(model, resting=True, claims=((1, rest),))
    assert answer(resting, None, "yes", 80).request == GoOn()
