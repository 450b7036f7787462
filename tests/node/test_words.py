"""Words of keys."""

from sunward_node.words import WORDS, short_words


def test_the_list_is_short_and_plain() -> None:
    assert len(WORDS) == 256
    assert all(word.isascii() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)


def test_words_are_a_golden_function_of_the_key() -> None:
    assert short_words(bytes(32)) == "opal-boat-lizard-argon"
    assert short_words(bytes(32), 2) == "opal-boat"
    assert short_words(bytes(31) + b"\1") != short_words(bytes(32))
