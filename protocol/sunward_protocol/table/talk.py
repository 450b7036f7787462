"""How much anybody may say: enough for people, too little to drown others."""

from collections import deque
from typing import Generic, TypeVar

from sunward_protocol import limits

Speaker = TypeVar("Speaker")


class Talk(Generic[Speaker]):
    """When each speaker was last heard."""

    __slots__ = ("_said",)

    def __init__(self) -> None:
        self._said: dict[Speaker, deque[float]] = {}

    def may_say(self, speaker: Speaker, now: float) -> bool:
        """Whether one more thing of a speaker is heard; it counts if so."""
        said = self._said.setdefault(speaker, deque(maxlen=limits.SAYINGS_MOST))
        if len(said) == limits.SAYINGS_MOST and now - said[0] < limits.SAYINGS_IN:
            return False
        said.append(now)
        return True
