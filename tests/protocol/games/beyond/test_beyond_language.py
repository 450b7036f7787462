"""The effect language: every form is read and written back, and what is wrong is said."""

import json
from pathlib import Path

import pytest

from sunward_protocol.games.beyond import BEYOND, grammar
from sunward_protocol.games.beyond.flow import EFFECTS
from sunward_protocol.games.beyond.language import COUNTERS, DISCS, FORMS, STANDING, Op, Program

EXAMPLES = {
    Op.SEQUENCE: ["gain 1; grow 2"],
    Op.PAY: ["3 ore: gain 1", "2 pop: gain 1", "3 ore, 2 pop: gain 1; grow 1"],
    Op.PAY_SHIP: ["ship: gain 1", "ship, ship: gain 1", "2 ore, ship: colonize", "2 ore, 1 pop, ship: colonize"],
    Op.MAY: ["may [gain 1]", "may [2 ore: enlist 2]"],
    Op.CHOOSE: ["choose 1 of [gain 1] [grow 1]", "choose 2 of [gain 1] [grow 1] [build 1]"],
    Op.TIMES: ["times 2 [gain 1]", "times 2 [choose 1 of [build 2] [grow 1]]"],
    Op.PER: ["per controlled [gain 1]", "per 2 colonized [grow 1]", "per scientific max 3 [gain 1]"],
    Op.ALL: ["all [grow 1]"],
    Op.OTHERS: ["others [may [1 ore: grow 1]]"],
    Op.GAIN: ["gain 12"],
    Op.GROW: ["grow 1"],
    Op.BUILD: ["build 4", "build 2 at deep"],
    Op.ENLIST: ["enlist 4", "enlist 2 at sol"],
    Op.UPGRADE: ["upgrade 3"],
    Op.REFIT: ["refit 2"],
    Op.JUMP: ["jump 3", "jump 2 unseen"],
    Op.WARP: ["warp 2"],
    Op.AUTOMATE: ["automate food", "automate ore", "automate either"],
    Op.RESEARCH: [
        "research I",
        "research I-II discovered freely quietly",
        "research III skipping",
        "research colonized+1",
    ],
    Op.COLONIZE: ["colonize"],
    Op.INFILTRATE: ["infiltrate"],
    Op.SHIFT: ["shift 2"],
    Op.GUILD: ["guild 4"],
    Op.POINTS: ["points 2"],
    Op.KEEP: ["keep II", "keep III"],
    Op.CHART: ["chart"],
    Op.COPY: ["copy research"],
}
PLACES = ("sol", "deep")
GUIDE = Path(__file__).parents[4] / "docs" / "develop" / "components-beyond.md"


def test_every_operation_has_a_form_an_example_and_a_meaning() -> None:
    assert set(EXAMPLES) == set(FORMS) == {op for op in EFFECTS if op <= Op.COPY}


@pytest.mark.parametrize("op", list(FORMS))
def test_every_form_is_read_as_its_operation_and_written_back(op: Op) -> None:
    for text in EXAMPLES[op]:
        program = Program(PLACES)
        number = grammar.read(program, text)
        assert op in {node[0] for node in program.nodes}
        assert grammar.write(program, number) == text


def test_equal_effects_are_one_node() -> None:
    program = Program(PLACES)
    assert grammar.read(program, "gain 1; grow 1") == grammar.read(program, " gain 1 ;grow 1 ")


def test_what_a_movement_turns_into_has_a_number_too() -> None:
    program = Program(PLACES)
    grammar.read(program, "jump 3 unseen")
    assert [node[1] for node in program.nodes if node[0] == Op.JUMP] == [3, 2, 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it ends too early"),
        ("jump", "it ends too early"),
        ("leap 2", "'leap' is no effect; known: may, choose, "),
        ("gain x", "a number from 1 to 12 was expected, not 'x'"),
        ("gain 0", "a number from 1 to 12 was expected, not '0'"),
        ("gain 13", "a number from 1 to 12 was expected, not '13'"),
        ("build 5", "a number from 1 to 4 was expected, not '5'"),
        ("build 1 at mars", "one of sol, deep was expected, not 'mars'"),
        ("gain 1 grow 1", "'grow 1' is left over"),
        ("may gain 1", "'[' was expected, not 'gain'"),
        ("may [gain 1", "it ends too early"),
        ("choose 2 of [gain 1] [grow 1]", "to choose 2 there must be more than 2 to choose from"),
        ("3 gold: gain 1", "one of ore, pop was expected, not 'gold'"),
        ("3 ore; gain 1", "'3' is no effect; known: "),
        ("research V", "a level from I to IIII was expected, not 'V'"),
        ("research III-I", "a level from I to IIII was expected, not 'III-I'"),
        ("automate both", "one of food, ore, either was expected, not 'both'"),
        ("keep IIII", "one of II, III was expected, not 'IIII'"),
        ("per luck [gain 1]", "one of controlled, colonized, "),
        ("may [" * 60, "it has more than 200 signs"),
        ("gain 1!", "'gain 1!' holds signs that mean nothing here"),
    ],
)
def test_a_wrong_effect_is_explained(text: str, reason: str) -> None:
    with pytest.raises(grammar.BadEffect) as caught:
        grammar.read(Program(PLACES), text)
    assert str(caught.value).startswith(reason)


def reference() -> str:
    """Return the part of the guide that is made from the code."""
    lines = ["| written | what it does |", "|---|---|"]
    lines += [f"| `{form.written.replace('|', chr(92) + '|')}` | {form.meaning} |" for form in FORMS.values()]
    lines += ["", f"Counters: {', '.join(f'`{name}`' for name in COUNTERS)}."]
    lines += [f"Discs: {', '.join(f'`{name}`' for name in DISCS)}."]
    lines += [f"Standing abilities: {'; '.join(f'`{name}`, {meaning}' for name, meaning in STANDING.items())}."]
    return "\n".join(lines)


def test_the_guide_holds_the_reference_as_the_code_has_it() -> None:
    assert reference() in GUIDE.read_text("utf-8")


def test_the_example_of_the_guide_loads() -> None:
    text = GUIDE.read_text("utf-8")
    entry = json.loads(text.partition("```json\n")[2].partition("```")[0])
    components = json.loads(BEYOND.builtin())
    (index,) = (n for n, card in enumerate(components["technologies"]) if card["name"] == "Long Haul")
    components["technologies"][index] = entry
    assert BEYOND.load(json.dumps(components).encode())
