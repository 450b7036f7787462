"""What a client asks, as the lines that its node reads."""

import pytest

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
    encode,
)


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Act((5, 6), 9), b'{"do":"act","actions":[5,6],"step":9}\n'),
        (Ready(True), b'{"do":"ready","ready":true}\n'),
        (Say("hi"), b'{"do":"say","text":"hi"}\n'),
        (PutOut((1, 2)), b'{"do":"putout","seats":[1,2]}\n'),
        (TakeBack(), b'{"do":"takeback","step":null}\n'),
        (TakeBack(7), b'{"do":"takeback","step":7}\n'),
        (Adjourn(), b'{"do":"adjourn"}\n'),
        (GoOn(), b'{"do":"back"}\n'),
        (Wait(), b'{"do":"wait"}\n'),
        (LetPlay("greedy"), b'{"do":"bot","name":"greedy"}\n'),
        (LetPlay(None), b'{"do":"me"}\n'),
        (Invite(), b'{"do":"invite"}\n'),
        (Quit(), b'{"do":"quit"}\n'),
        (Detach(), b'{"do":"detach"}\n'),
    ],
)
def test_encoded(request_: Request, line: bytes) -> None:
    assert encode(request_) == line
