"""Who may connect: the answers to ZeroMQ's authentication requests (ZAP, RFC 27), by CURVE key.

Must never fall silent: one unanswered request leaves its connection hanging, and a handler that died admits nobody for
good. So whatever the question and whatever the callback does, an answer goes out.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence

import zmq

from sunward_node.sockets import SLICE, Line, Socket

ENDPOINT = "inproc://zeromq.zap.01"
DOMAIN = b"sunward"

Admit = Callable[[bytes], bool]
"""Whether a CURVE key of 32 bytes may connect."""


class Doorkeeper:
    """Answers every handshake of one ZeroMQ context; an admitted connection's User-Id is its CURVE key in hex."""

    __slots__ = ("_admit", "_line", "_loop")

    def __init__(self, context: "zmq.Context[Socket]", loop: AbstractEventLoop, admit: Admit) -> None:
        self._admit = admit
        self._loop = loop
        socket = context.socket(zmq.ROUTER)  # a REP would be stuck after one malformed request
        socket.linger = 0
        socket.bind(ENDPOINT)
        self._line = Line(loop, socket, self._drain)

    def close(self) -> None:
        """Answer no more; a context without its doorkeeper can only be terminated."""
        self._line.close()

    def _drain(self) -> bool:
        for _ in range(SLICE):
            try:
                request = self._line.socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return False
            self._answer(request)
        return True

    def _answer(self, request: Sequence[bytes]) -> None:
        match request:
            case [route, b"", b"1.0", number, domain, _address, _identity, mechanism, *credentials]:
                key = credentials[0] if (domain, mechanism, len(credentials)) == (DOMAIN, b"CURVE", 1) else b""
                status, text = (b"200", b"welcome") if self._may_enter(key) else (b"400", b"not admitted")
                user_id = key.hex().encode()  # libzmq hands it on as a C string, which raw bytes would cut short
                self._line.socket.send_multipart([route, b"", b"1.0", number, status, text, user_id, b""], zmq.NOBLOCK)
            case _:  # libzmq itself asks, so this is another version of ZAP; there is no number to answer to
                self._loop.call_exception_handler({"message": f"A ZAP request of {len(request)} parts is not of 1.0."})

    def _may_enter(self, key: bytes) -> bool:
        if len(key) != 32:
            return False
        try:
            return self._admit(key)
        except Exception as error:  # noqa: BLE001  (whatever it is: refuse this one, report it, go on with the next)
            self._loop.call_exception_handler({"message": "Deciding who may connect failed.", "exception": error})
            return False
