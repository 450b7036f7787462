"""The pages on the protocol say what the code has: its kinds, fields and times."""

from pathlib import Path

from sunward_protocol import limits
from sunward_protocol.messages import SHAPES, Change

PAGES = Path(__file__).parents[2] / "docs" / "protocol"
README, LEAVING = ((PAGES / name).read_text(encoding="utf-8") for name in ("README.md", "leaving.md"))


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the rows below a table's heading."""
    lines = page.partition(f"\n| {heading} |")[2].splitlines()[2:]
    below = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in below]


def test_every_kind_is_listed_as_it_is_on_the_wire() -> None:
    shapes = SHAPES.items()
    made = [
        [kind.name, str(kind.value), shape.proof.name.lower(), f"{shape.most:,}", ", ".join(shape.payload._fields)]
        for kind, shape in shapes
    ]
    assert table(README, "kind") == made
    assert {shape.proof.name.lower() for _, shape in shapes} == {proof for proof, *_ in table(README, "proof")}


def test_the_version_is_told() -> None:
    assert f"\nVersion {limits.PROTOCOL_VERSION}. " in README


def test_every_field_of_a_change_is_explained() -> None:
    assert [field.strip("`") for field, *_ in table(LEAVING, "field of a change")] == list(Change._fields)


def test_times_are_as_the_pages_say() -> None:
    readme, leaving = (" ".join(page.split()) for page in (README, LEAVING))
    assert f"**Challenge.** For {limits.CHALLENGE:g} s " in leaving
    assert f"for {limits.CLAIM_PATIENCE:g} s by whoever is not heard" in leaving
    assert f"for {limits.DISSENT_PATIENCE:g} s by whoever is" in leaving
    assert f"at least {limits.RETURNER:g} s to think" in leaving
    assert f"{limits.VOTE_AGAIN:g} s after its last vote" in leaving
    assert f"for more than {limits.SLEPT:g} s at a time" in leaving
    assert f"up to {limits.LEAD} steps past" in readme
    assert f"missing after {limits.SEAL_PATIENCE:g} s" in readme
