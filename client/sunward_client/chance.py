"""How even a match's draws came out, with the sentences that say what the figures mean and when to look closer.

Must never say more than the figures do: they accuse nobody.
"""

from textwrap import wrap

from sunward_protocol.fairness import Fairness, panel

_MEANING = (
    "What the figures mean: at p 0.30, 30 of 100 fair matches are as uneven or more; in brackets, how many numbers "
    "were counted. One small p is no reason to worry. Look closer if the p of 'All' is below 0.01 in match after match."
)


def chance(fairness: Fairness, width: int = 80) -> list[str]:
    """Return the panel of statistics, and before it what they mean, where there is a p at all."""
    meaning = wrap(_MEANING, width, subsequent_indent="  ") if fairness.total is not None else []
    return [*meaning, *panel(fairness, width)]
