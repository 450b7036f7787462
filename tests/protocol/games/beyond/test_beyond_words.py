"""Text forms, sentences, refusals, rules on request, and the export that rebuilds a table."""

import json
from collections.abc import Iterator

import pytest

from sunward_protocol.errors import IllegalAction, UnreadableAction
from sunward_protocol.games.beyond import actions
from sunward_protocol.games.beyond.notation import REPEATED
from sunward_protocol.games.beyond.position import Position
from sunward_protocol.games.beyond.rulings import RULINGS, TOPICS
from sunward_protocol.games.beyond.state import OVER, PRIVATE
from sunward_protocol.games.game import Action, Seat
from support.beyond_positions import (
    BUILTIN,
    TECHNOLOGIES,
    act,
    effect,
    options,
    own,
    refusal,
    ships_of,
    stand_on,
    table,
    turn_up,
)
from support.matches import Recorder, Script, Stream, at_random, play

NAMES = ("Ann", "Bob", "Cid", "Dee")
WORDS = BUILTIN.words
ONE_ANSWER = "What has but one answer is done without asking."


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_legal_action_is_written_read_told_and_exported(seats: int, seed: int) -> None:
    stream = Stream(seed)
    options_ = {"mats": "advanced", "factions": "chosen"} if seed == 2 else {}
    position = BUILTIN.start(seats, options_)
    pick = at_random(stream)
    for number, step in enumerate(play(position, stream, pick)):
        after = step.after
        for drawn in step.draws:
            assert WORDS.tell_draw(drawn, NAMES).endswith(".")
            assert isinstance(WORDS.draw_json(drawn), dict)
        for seat in after.to_act():
            texts: list[str] = []
            for action in after.legal(seat):
                texts.append(WORDS.write(after, seat, action))
                assert WORDS.read(after, seat, texts[-1]) == (action,)
                assert json.dumps(WORDS.action_json(after, seat, action))
            assert len(set(texts)) == len(texts)
            assert WORDS.complete(after, seat, "") == texts
            told = WORDS.tell(after, seat, after.legal(seat)[-1], NAMES)
            assert told.startswith(NAMES[seat])
            assert told.endswith(".")
        if number > 300:
            break


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_every_act_is_read_from_one_line(seats: int, seed: int) -> None:
    stream = Stream(seed)
    position = BUILTIN.start(seats, {"mats": "advanced"} if seed % 2 else {})
    longest = 0
    for before, seat, chosen, texts in acts(position, stream):
        assert WORDS.read(before, seat, " ".join(texts)) == chosen
        assert WORDS.read(before, seat, shortened(texts)) == chosen
        longest = max(longest, len(chosen))
    assert longest >= 6


def acts(position: Position, stream: Stream) -> Iterator[tuple[Position, Seat, tuple[Action, ...], list[str]]]:
    """Play at random; yield where each act began, whose it was, its actions, and the text of each."""
    position.draw(stream)
    while position.result() is None:
        before = position.copy()
        (seat,) = position.to_act()
        chosen: list[Action] = []
        texts: list[str] = []
        while position.to_act() == (seat,):
            legal = position.legal(seat)
            chosen.append(legal[stream.below(len(legal))])
            texts.append(WORDS.write(position, seat, chosen[-1]))
            position.apply(seat, chosen[-1])
            if texts[-1].startswith("produce"):
                break  # or a match of one person would be a single act
        yield before, seat, tuple(chosen), texts
        if position.chance_due():
            position.draw(stream)


def shortened(texts: list[str]) -> str:
    """Return the texts on one line, a verb that is said again and again said once."""
    verbs = [text.split()[0] for text in texts]
    again = [number > 0 and verbs[number - 1] == verb in REPEATED for number, verb in enumerate(verbs)]
    return " ".join(text.partition(" ")[2] if left else text for left, text in zip(again, texts, strict=True))


@pytest.mark.parametrize(
    ("line", "one_by_one"),
    [
        ("jump sol>proxima proxima>forge", "jump sol>proxima, jump proxima>forge"),
        ("jump sol>proxima>forge", "jump sol>proxima, jump proxima>forge"),
        ("jump sol>proxima jump 1 a1 > forge done", "jump sol>proxima, jump proxima>forge, done"),
        ("jump 2 sol>proxima>forge 1 sol>barnard", "jump 2 sol>proxima, jump proxima>forge, jump sol>barnard"),
    ],
)
def test_moves_are_typed_in_a_row(line: str, one_by_one: str) -> None:
    position = effect(table(ships={0: "sol 1, sol 1, sol 2" if "2" in line else "sol 1"}), "jump 4")
    found = WORDS.read(position, 0, line)
    typed: list[str] = []
    for action in found:
        typed.append(WORDS.write(position, 0, action))
        position.apply(0, action)
    assert ", ".join(typed) == one_by_one


def test_a_whole_turn_is_one_line() -> None:
    position = act(table(), "go ship-and-jump no jump sol>proxima done produce growth")
    assert position.to_act() == (1,)
    assert ships_of(position) == "a1 1"


@pytest.mark.parametrize("text", ['take "Mass Cloning"', "take mass-cloning", "take mass"])
def test_a_card_is_taken_by_its_printed_name(text: str) -> None:
    position = effect(table(), "keep II")
    turn_up(position, "Mass Cloning", "Long Haul")
    act(position, text)
    assert position.s[PRIVATE + TECHNOLOGIES["Mass Cloning"]] == 1


@pytest.mark.parametrize(
    ("line", "ruling", "sentence"),
    [
        (
            "go ship-and-jump no jump sol>proxima proxima>altair",
            "J2",
            "'jump proxima>altair': No line leads from Proxima to Altair: one point moves one ship along one line.",
        ),
        ("go ship-and-jump no jump sol>a1 sol>a2", "J2", "'jump sol>a2': You have no ship of level 1 at Sol."),
        ("go ship-and-jump build sol", "A3", "'build sol': That is not what is asked now: say yes or no."),
        ("produce ore done", "A1", "'produce ore': That is not what is asked now: move your pawn to an action space."),
        (
            "go grow-and-mine produce ore go research-one",
            "A1",
            "'go research-one': It is not your say: seat 1 is to move your pawn to an action space.",
        ),
        (
            "go research-two research II1 take mass-cloning",
            "R4",
            f"'research II1': Cards are still being drawn: choose when they lie open. {ONE_ANSWER}",
        ),
    ],
)
def test_of_several_the_first_that_is_not_legal_is_named(line: str, ruling: str, sentence: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        WORDS.read(table(researched={0: "I1"}, ore=[5]), 0, line)
    assert (caught.value.ruling, caught.value.sentence) == (ruling, sentence)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("go ship-and-jump no jump sol>proxima mars>sol", "'jump …' needs a place, not 'mars': sol, proxima, "),
        ("go ship-and-jump no maybe", "'maybe' is left over: another action begins with one of go, copy, "),
    ],
)
def test_of_several_the_first_that_is_no_action_is_named(line: str, reason: str) -> None:
    with pytest.raises(UnreadableAction) as caught:
        WORDS.read(table(), 0, line)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_one_exported_line_rebuilds_the_table(seats: int) -> None:
    for seed in range(3):
        stream = Stream(seed)
        position = BUILTIN.start(seats, {"mats": "advanced", "factions": "chosen"} if seed else {})
        assert BUILTIN.rebuild(seats, WORDS.state_json(position)).encode() == position.encode()
        for number, step in enumerate(play(position, stream, at_random(stream))):
            line = json.loads(json.dumps(WORDS.state_json(step.after)))
            again = BUILTIN.rebuild(seats, line)
            assert again.encode() == step.after.encode()
            for seat in step.after.to_act():
                assert again.legal(seat) == step.after.legal(seat)
            if number > 250:
                break


def test_a_rebuilt_match_goes_on_as_the_original() -> None:
    stream = Stream(5)
    position = BUILTIN.start(4, {})
    for number, _ in enumerate(play(position, stream, at_random(stream))):
        if number == 120:
            break
    again = BUILTIN.rebuild(4, WORDS.state_json(position))
    recorder = Recorder(Stream(6))
    for seat in position.to_act():
        action = position.legal(seat)[0]
        position.apply(seat, action)
        again.apply(seat, action)
    while position.chance_due():
        position.draw(recorder)
    while again.chance_due():
        again.draw(Script(recorder.answers))
    assert again.encode() == position.encode()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('go "Freight Charters"', "go freight-charters"),
        ("GO grow", "go grow-and-mine"),
        ("go research-tw", "go research-two"),
    ],
)
def test_names_may_be_quoted_or_cut_short(text: str, same: str) -> None:
    position = table()
    assert WORDS.read(position, 0, text) == WORDS.read(position, 0, same)


def test_places_are_known_by_their_system_and_by_their_own_name() -> None:
    position = effect(table(), "jump 1")
    assert WORDS.read(position, 0, "jump sol>proxima") == WORDS.read(position, 0, "jump 1 sol > a1")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Type one of go, copy, "),
        ("fly", "'fly' is no action: begin with one of go, copy, "),
        ("go", "'go …' needs an action space: research-one, "),
        ("go research", "'go …' needs an action space, not 'research': research-one, "),
        ("go metahuman-chambers", "'go …' needs one of its two spaces: 1, 2."),
        ("research VII", "'research …' needs a slot, not 'vii': I1, I2, "),
        ("jump sol", "A jump is typed with an arrow from place to place, as in 'jump sol>deep'."),
        ("jump sol>mars", "'jump …' needs a place, not 'mars': sol, proxima, "),
        ("produce", "'produce …' needs a production: growth, ore, trade."),
        ("done now", "'now' is left over: another action begins with one of go, copy, "),
    ],
)
def test_what_is_no_action_is_said_with_what_could_be_meant(text: str, reason: str) -> None:
    with pytest.raises(UnreadableAction) as caught:
        WORDS.read(table(), 0, text)
    assert str(caught.value).startswith(reason)


def test_a_jump_without_its_level_is_asked_for_it_where_ships_differ() -> None:
    position = effect(table(ships={0: "sol 1, sol 3"}), "jump 1")
    with pytest.raises(UnreadableAction, match="put the level 1 or 3 before the places"):
        WORDS.read(position, 0, "jump sol>a1")


def test_refusals_out_of_turn() -> None:
    position = table()
    assert refusal(position, "go research-one", 1).sentence == (
        "It is not your say: seat 0 is to move your pawn to an action space."
    )
    with pytest.raises(IllegalAction, match="There is no seat 7"):
        position.check(7, 0)
    drawing = effect(table(), "chart")
    assert refusal(drawing, "done", 0).ruling == "R4"
    position.s[OVER] = 1
    position.actor, position.choices = -1, ()
    assert refusal(position, "go research-one", 0).ruling == "E1"


@pytest.mark.parametrize(
    ("text", "ruling", "sentence"),
    [
        ("done", "A1", "That is not what is asked now: move your pawn to an action space."),
        (
            "go hivemind-computing 1",
            "A2",
            "hivemind-computing 1 is not open to you: you need your cube on its technology.",
        ),
        ("go institute", "A2", "institute is still covered: its event must be turned up first."),
        (
            "go research-two",
            "A3",
            "research-two (2 ore: research II) cannot be paid for, or could do nothing for you now.",
        ),
        ("go research-one", "A1", "research-one is taken by the pawn of seat 2."),
    ],
)
def test_refusals_of_the_action(text: str, ruling: str, sentence: str) -> None:
    position = table()
    stand_on(position, 2, "research-one")
    error = refusal(position, text)
    assert (error.ruling, error.sentence) == (ruling, sentence)


def test_refusals_of_other_choices() -> None:
    position = act(table(population=[8]), "go grow-and-mine", "produce trade")
    assert refusal(position, "trade ship 2 sol").ruling == "J2"
    assert refusal(position, "trade ore").ruling == "P4"
    position = effect(table(), "automate either")
    assert refusal(position, "disc achievement").sentence == "That disc cannot be taken now: food or ore can."
    position = effect(table(supply={0: "A5 B4"}), "shift 1")
    assert refusal(position, "shift A").ruling == "P5"
    position = effect(table(ships={0: "sol 4, a1 1, a1 2"}), "upgrade 1")
    assert refusal(position, "upgrade 4 sol").ruling == "J1"
    position = effect(table(), "keep II")
    turn_up(position, "Mass Cloning", "Long Haul")
    assert refusal(position, "take line-cruisers").sentence == (
        "That card is not among those turned up: Mass Cloning and Long Haul."
    )


def test_any_integer_is_refused_with_a_sentence() -> None:
    tables = [
        table(),
        act(table(), "go grow-and-mine"),
        act(table(ore=[9]), "go grow-and-mine", "produce trade"),
        act(table(), "go research-one"),
        effect(table(ships={0: "sol 1, a1 2"}), "upgrade 1"),
        effect(table(), "jump 1"),
        effect(table(ore=[2]), "may [2 ore: enlist 2]"),
        effect(table(), "choose 1 of [gain 1] [grow 1]"),
        effect(table(), "automate either"),
        effect(table(ships={0: "a1 4, a2 4"}, holders={"a1": "0 food", "a2": "0 ore"}, population=[5]), "colonize"),
        effect(table(ships={0: "a1 2, a1 1, a1 1"}, holders={"a1": "0 food"}, population=[5]), "colonize"),
        effect(table(ships={0: "sol 1, a1 2"}), "ship: gain 1"),
        effect(table(supply={0: "A1 E1"}), "shift 1"),
    ]
    candidates = [verb << actions.VERB | operand for verb in range(23) for operand in (0, 1, 5, 40, 63, 200, 4095)]
    for position in tables:
        (seat,) = position.to_act()
        for action in [*candidates, -1, 2**63]:
            if action in position.legal(seat):
                continue
            with pytest.raises(IllegalAction) as caught:
                position.check(seat, action)
            assert caught.value.ruling in RULINGS
            assert caught.value.sentence.endswith(".")


def test_a_sentence_says_what_came_of_an_action() -> None:
    position = effect(table(ore=[0]), "jump 1")
    (jump,) = WORDS.read(position, 0, "jump sol>proxima")
    assert WORDS.tell(position, 0, jump, NAMES) == (
        "Ann jumped with a level-1 ship from Sol to Proxima; Ann +1 ore; Ann controls Proxima."
    )
    position = act(table(population=[8]), "go grow-and-mine")
    (produce,) = WORDS.read(position, 0, "produce ore")
    assert WORDS.tell(position, 0, produce, NAMES) == ("Ann produced ore; Ann +1 ore; Metropolis goes to Ann.")


def test_the_final_scoring_is_told() -> None:
    position = table()
    position.s[OVER] = 1
    lines = WORDS.tell_result(position, NAMES)
    assert lines[0] == "Technologies: Ann 0, Bob 0, Cid 0, Dee 0."
    assert lines[-1] == "Dee wins with 1, after a tie."  # everybody has a ship at Sol, and Dee is last in turn order


def test_the_rules_on_request() -> None:
    for topic, ids in TOPICS.items():
        assert WORDS.rules(topic).count("\n") == len(ids) - 1
    assert WORDS.rules("r4").startswith("R4: ")
    assert WORDS.rules("weather").startswith("There is nothing about 'weather'.")
    wanted = [f"{letter}{number}" for letter, count in zip("SAPQRJCUE", (9, 5, 5, 2, 7, 5, 4, 2, 4), strict=True)
              for number in range(1, count + 1)]  # fmt: skip
    assert list(RULINGS) == wanted


def test_the_components_are_exported_as_they_are() -> None:
    exported = WORDS.components_json()
    assert json.loads(BUILTIN.components) == exported


def test_completion_begins_with_what_was_typed() -> None:
    position = table()
    assert WORDS.complete(position, 0, "go re") == ["go research-one", "go research-one-late"]
    assert WORDS.complete(position, 1, "go") == []
    assert options(position)[0] == "go research-one"
    assert own(position)["ore"] == 1
