"""`sunward node`: one node, which is told on its standard input what to do and announces on its standard output.

A line of JSON comes in first (`sunward_node.order`); lines of JSON go out. The node stops when its input ends,
unless it was told before to stay, by itself or with whoever holds the other end of a pipe.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread

from sunward.exits import Exit, exit_for
from sunward.nodes import STAY
from sunward_node.node import Node, Stopped
from sunward_node.order import Order, parse_order
from sunward_node.places import Places
from sunward_protocol.errors import SunwardError


def run(_: object) -> int:
    """Carry out the order; end with its match, with its input, or with SIGTERM."""
    try:
        with open(0, "rb", buffering=0, closefd=False) as told:  # unbuffered: what follows is the leash's
            order = parse_order(told.readline().decode(errors="replace"))
        asyncio.run(_node(order))
    except Stopped:
        return Exit.UNFINISHED
    except SunwardError as error:
        _announce({"error": str(error), "code": error.code})
        return exit_for(error)
    except Exception as error:
        _announce({"error": f"A mistake in a node of ours ({type(error).__name__}: {error}).", "code": "bug"})
        raise
    return Exit.OK


async def _node(order: Order) -> None:
    loop = asyncio.get_running_loop()
    node = Node(order, Places.find(os.environ), _announce)
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, node.stop)

    def hold_leash() -> None:
        while told := os.read(0, 4096):
            if STAY in told:
                _, *leash = told.split()
                if not leash:
                    return
                os.read(int(leash[0]), 1)
                break
        with suppress(RuntimeError):  # the node ended by itself meanwhile
            loop.call_soon_threadsafe(node.stop)

    Thread(target=hold_leash, daemon=True).start()
    await node.run()


def _announce(news: Mapping[str, object]) -> None:
    with suppress(BrokenPipeError):  # nobody listens any more; the leash ends us
        print(json.dumps(news), flush=True)
