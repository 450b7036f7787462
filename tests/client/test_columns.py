"""Text in columns: nothing is too long, and nothing is lost that had room."""

from sunward_client.columns import fit, pad


def test_padding_leaves_a_blank_and_counts_wide_characters_twice() -> None:
    assert pad("Ann", 6) == "Ann   "
    assert pad("Bartholomew", 6) == "Barth "
    assert pad("漢字漢字", 6) == "漢字  "
    assert pad("", 3) == "   "


def test_lines_break_between_words() -> None:
    assert fit("one two three", 13) == ["one two three"]
    assert fit("one two three", 12) == ["one two", "  three"]
    assert fit("Bartholomew", 1) == ["Bartholome", "  w"]
