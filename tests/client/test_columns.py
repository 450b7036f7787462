"""Text in columns: nothing is too long, and nothing is lost that had room."""

from sunward_client.columns import fit, flow, pad


def test_padding_leaves_a_blank_and_counts_wide_characters_twice() -> None:
    assert pad("Ann", 6) == "Ann   "
    assert pad("Bartholomew", 6) == "Barth "
    assert pad("漢字漢字", 6) == "漢字  "
    assert pad("", 3) == "   "


def test_lines_break_between_words() -> None:
    assert fit("one two three", 13) == ["one two three"]
    assert fit("one two three", 12) == ["one two", "  three"]
    assert fit("Bartholomew", 1) == ["Bartholome", "  w"]


def test_further_parts_keep_the_indent_or_the_second_column() -> None:
    assert fit("  one two three", 11) == ["  one two", "    three"]
    assert fit("  12  one two three", 18) == ["  12  one two", "      three"]
    assert fit("a long first column  one", 22) == ["a long first column", "  one"]


def test_no_break_spaces_and_hyphens_hold() -> None:
    assert fit("one two\N{NO-BREAK SPACE}three", 12) == ["one", "  two\N{NO-BREAK SPACE}three"]
    assert fit("one greedy-1", 11) == ["one", "  greedy-1"]


def test_an_invite_is_left_whole() -> None:
    invite = "sunward1-" + "x" * 200
    assert fit(invite, 80) == [invite]
    assert len(fit(f"type {invite}", 80)) > 1


def test_cells_flow_from_tab_to_tab_as_far_as_a_line_holds_them() -> None:
    assert list(flow(["one", "two", "a long one", "four"], 18, 6)) == ["one   two", "a long one  four"]
    assert list(flow(["one", "five5", "two"], 12, 6)) == ["one   five5", "two"]
    assert list(flow(["much too long for it", "a"], 10, 5)) == ["much too long for it", "a"]
    assert list(flow([], 10, 5)) == []
