"""The line client as a process: over a real socket, through pipes and on a terminal."""

import asyncio
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from sunward_protocol.games.beyond import BEYOND
from support.fake_gateway import FakeGateway, FakeTable, serving
from support.screen import running

BASE: Mapping[str, str] = {
    name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LC_CTYPE")
} | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}

READY = "R▴ Ann, your choice>"


def command(path: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "sunward", "attach", str(path), *flags]


async def piped(
    path: Path, typed: bytes, *flags: str, environ: Mapping[str, str] = BASE
) -> tuple[int | None, str, str]:
    """Run the client with pipes on both sides and return exit code, stdout and stderr."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command(path, *flags), stdin=pipe, stdout=pipe, stderr=pipe, env=dict(environ)
    )
    out, err = await asyncio.wait_for(process.communicate(typed), 30)
    return process.returncode, out.decode(), err.decode()


def with_table(path: Path, table: FakeTable, body: Callable[[FakeGateway], Coroutine[None, None, None]]) -> None:
    async def serve() -> None:
        async with serving(path, table) as gateway:
            await body(gateway)

    asyncio.run(serve())


@contextmanager
def served(path: Path, table: FakeTable) -> Generator[FakeGateway, None, None]:
    """Serve a table from a thread, for a test that waits on a screen."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    context = serving(path, table)
    try:
        yield asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(10)
    finally:
        asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "node.sock"


def test_a_whole_match_through_a_pipe(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        code, out, err = await piped(path, b"1\n" * 100)
        assert (code, err) == (0, "")
        assert out.endswith("Match file: /matches/abab.sunward\n")
        assert "\x1b" not in out
        assert gateway.table.position.result() is not None

    with_table(path, FakeTable(), body)


def test_a_sentence_of_which_a_part_changed_is_said_as_a_whole(path: Path) -> None:
    async def body(_: FakeGateway) -> None:
        out = (await piped(path, b"1\n1\n", environ={**BASE, "COLUMNS": "30"}))[1]
        whole = out.replace("\n  ", " ").split("\n")
        mine = [line for line in whole if line.startswith("R▴ Ann (red, you): ")]
        assert len(mine) > 1
        assert all("score " in line and ", good deeds " in line for line in mine)

    with_table(path, FakeTable(), body)


def test_the_same_input_gives_the_same_text(tmp_path: Path) -> None:
    async def body(_: FakeGateway) -> None:
        texts.append((await piped(path, b"log 3\n1\nfoo\n1\n" * 30))[1])

    texts: list[str] = []
    for run in ("a", "b"):
        path = tmp_path / run
        with_table(path, FakeTable(seats=6), body)
    assert texts[0] == texts[1]


def test_input_that_ends_too_early_leaves_the_node_at_the_table(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        code, out, err = await piped(path, b"1")  # the last line needs no line feed
        assert (code, err) == (7, "")
        assert out.endswith(
            "The input ended before the match did.\n"
            f"Your node stays at the table. Come back with: sunward attach {path}\n"
        )
        assert [request["do"] for request in gateway.requests] == ["act", "detach"]

    with_table(path, FakeTable(), body)


def test_quit_stops_the_node_and_detach_does_not(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        code, out, _ = await piped(path, b"quit\n")
        assert code == 0
        assert out.endswith("The match is saved. Go on with: sunward resume abababababab\n")
        assert (await piped(path, b"detach\n"))[0] == 0
        assert [request["do"] for request in gateway.requests] == ["quit", "detach"]

    with_table(path, FakeTable(), body)


def test_a_refused_choice_can_be_made_again(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        gateway.table.step += 1  # the node has moved on without telling
        code, out, _ = await piped(path, b"1\nquit\n")
        assert code == 0
        assert "Refused: Step " in out
        assert [request["do"] for request in gateway.requests] == ["act", "quit"]

    with_table(path, FakeTable(), body)


def test_news_in_one_s_own_turn_leave_the_table_alone(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command(path), stdin=pipe, stdout=pipe, env=dict(BASE))
        assert process.stdin is not None
        assert process.stdout is not None
        said: list[str] = []
        while "Your turn." not in said:
            said.append((await asyncio.wait_for(process.stdout.readline(), 20)).decode().strip())
        gateway.publish(event="away", seat=1)
        while not any("B◉ Bo is away; the match waits for them." in line for line in said):
            said.append((await asyncio.wait_for(process.stdout.readline(), 20)).decode().strip())
        rest = (await asyncio.wait_for(process.communicate(b"quit\n"), 20))[0]
        assert b"Your turn." not in rest
        assert said.count("Your turn.") == 1

    with_table(path, FakeTable(), body)


def test_who_was_put_out_comes_back_through_a_pipe_too(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        gateway.publish(event="changed", step=9, out=[0], back=[], rewind=None, adjourned=False)
        code, out, _ = await piped(path, b"back\nquit\n")
        assert code == 0
        assert "You were put out: autopilot plays for you. Type back to play again." in out
        assert [request["do"] for request in gateway.requests] == ["back", "quit"]

    with_table(path, FakeTable(), body)


def test_who_is_left_by_the_only_other_player_reads_what_that_counts(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        gateway.table.events = [
            {**gateway.table.events[0], "game": "beyond-the-sun", "components": BEYOND.builtin().decode()}
            | {"names": ["Ann", "Bo"], "keys": ["00", "11"], "words": ["one", "two"]}
        ]
        gateway.publish(event="away", seat=1)
        gateway.publish(event="stalled", seats=[1])
        code, out, _ = await piped(path, b"quit\n")
        assert code == 0
        assert "B◉ Bo left. With two players nobody can be put out;" in out
        assert out.endswith(
            "B◉ Bo left: this counts here as won by you, and cannot be proved. "
            "The match is saved. Go on with: sunward resume abababababab\n"
        )

    with_table(path, FakeTable(), body)


def test_a_bot_is_told_to_play_and_the_seat_is_taken_back(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        await piped(path, b"bot greedy\n")
        assert gateway.requests[0] == {"do": "bot", "name": "greedy"}
        gateway.publish(event="stand-in", bot="greedy")
        code, out, _ = await piped(path, b"me\nquit\n")
        assert code == 0
        assert "greedy plays for you. Type me to take your seat back." in out
        assert [request["do"] for request in gateway.requests[2:]] == ["me", "quit"]

    with_table(path, FakeTable(), body)


@pytest.mark.parametrize(
    "answer",
    [
        {"event": "invite", "invite": "sunward1-abc"},
        {"event": "trouble", "code": "request", "sentence": "Nobody could come back."},
    ],
    ids=["shown", "refused"],
)
def test_invite_is_answered_before_more_is_read_from_a_pipe(path: Path, answer: Mapping[str, str]) -> None:
    async def body(gateway: FakeGateway) -> None:
        client = asyncio.create_task(piped(path, b"invite\n"))
        await asyncio.wait_for(gateway.asked.wait(), 20)
        gateway.publish(event="back", seat=1)  # comes before the answer, and is none
        gateway.publish(**answer)
        code, out, err = await client
        assert (code, err) == (7, "")
        assert out.index(list(answer.values())[-1]) < out.index("The input ended")
        assert [request["do"] for request in gateway.requests] == ["invite", "detach"]

    with_table(path, FakeTable(), body)


def test_a_node_that_goes_away_without_an_answer_is_not_waited_for(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        client = asyncio.create_task(piped(path, b"invite\n"))
        await asyncio.wait_for(gateway.asked.wait(), 20)
        gateway.publish(event="over", file="/matches/abab.sunward")
        gateway.hang_up()
        code, _, err = await client
        assert (code, err) == (0, "")

    with_table(path, FakeTable(), body)


def test_a_node_that_stops_is_said(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        client = asyncio.create_task(piped(path, b"1\n"))
        await asyncio.wait_for(gateway.asked.wait(), 20)
        gateway.hang_up()
        code, out, err = await client
        assert (code, err) == (7, "")
        assert out.endswith("The node stopped.\nThe match is saved. Go on with: sunward resume abababababab\n")

    table = FakeTable()
    table.act = lambda actions, step: None  # type: ignore[method-assign]
    with_table(path, table, body)


def test_ctrl_c_in_a_pipe_says_how_to_go_on(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command(path), stdin=pipe, stdout=pipe, stderr=pipe, env=dict(BASE)
        )
        assert process.stdout is not None
        while b"Your turn." not in await asyncio.wait_for(process.stdout.readline(), 20):
            pass
        process.send_signal(signal.SIGINT)
        out = await asyncio.wait_for(process.stdout.read(), 20)
        assert b"Interrupted.\nYour node stays at the table." in out
        assert await process.wait() == 130
        assert gateway.requests == [{"do": "detach"}]

    with_table(path, FakeTable(), body)


def test_a_reader_that_goes_away_is_no_error(path: Path) -> None:
    async def body(_: FakeGateway) -> None:
        process = await asyncio.create_subprocess_shell(
            f"{' '.join(command(path))} | head -n 1; exit ${{PIPESTATUS[0]}}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(BASE),
            executable="/bin/bash",
        )
        err = (await asyncio.wait_for(process.communicate(b"1\n" * 100), 30))[1]
        assert (process.returncode, err) == (141, b"")

    with_table(path, FakeTable(), body)


@pytest.mark.parametrize(
    ("flags", "changes"), [(("--ascii",), {}), ((), {"LC_ALL": "C"}), ((), {"PYTHONIOENCODING": "latin-1"})]
)
def test_ascii_where_glyphs_cannot_be_shown(path: Path, flags: tuple[str, ...], changes: Mapping[str, str]) -> None:
    async def body(_: FakeGateway) -> None:
        code, out, err = await piped(path, b"1\n" * 100, *flags, environ={**BASE, **changes})
        assert (code, err) == (0, "")
        assert out.isascii()
        assert "R^ Ann" in out

    with_table(path, FakeTable(), body)


@pytest.mark.parametrize(
    ("left_over", "sentence"),
    [(False, "No node listens at {path}"), (True, "is gone; resume its match")],
)
def test_no_node_is_one_sentence_and_no_traceback(path: Path, left_over: bool, sentence: str) -> None:
    if left_over:
        path.touch()
    code, out, err = asyncio.run(piped(path, b""))
    assert (code, out) == (3, "")
    assert sentence.format(path=path) in err
    assert err.startswith("sunward: ")
    assert err.count("\n") == 1


def test_a_path_that_can_be_no_socket(path: Path) -> None:
    code, _, err = asyncio.run(piped(path / ("x" * 200), b""))
    assert code == 3
    assert err.endswith("cannot be used: AF_UNIX path too long. Is it yours, and a node's socket?\n")


def test_on_a_terminal_the_whole_table_and_the_choices_fit_80_by_24(path: Path) -> None:
    with served(path, FakeTable()), running(command(path), BASE) as screen:
        screen.until(lambda screen: READY in screen.text)
        assert any(line.startswith("inner       1    2    4") for line in screen.lines)
        assert "You are R▴ red. Two actions a turn; type a number, ? for help, or rules." in screen.lines
        assert any("  1  " in line for line in screen.lines)
        assert screen.title == "Sunward: R▴ Ann, your choice"
        assert b"\a" in re.sub(rb"\x1b\]2;[^\a]*\a", b"", screen.raw)  # a title ends with the same byte
        assert b"\x1b[0;38;5;160;1m" in screen.raw


def test_on_a_terminal_a_choice_is_completed_and_played(path: Path) -> None:
    with served(path, FakeTable()) as gateway, running(command(path), BASE) as screen:
        screen.until(lambda screen: READY in screen.text)
        screen.type("why 1\r")
        screen.until(lambda screen: "allowed now." in screen.text)
        screen.type("1\r")
        screen.until(lambda screen: "R▴ Ann" in screen.text and len(gateway.requests) == 1)
        screen.type("\x03")
        assert screen.exit_code() == 130
        assert "Interrupted." in screen.text
        assert gateway.requests[-1] == {"do": "detach"}


def test_no_color_leaves_letters_and_glyphs(path: Path) -> None:
    with served(path, FakeTable()), running(command(path), {**BASE, "NO_COLOR": "1"}) as screen:
        screen.until(lambda screen: READY in screen.text)
        assert b"38;5" not in screen.raw
        assert "R▴ Ann" in screen.text


def test_dumb_terminal_gets_plain_lines(path: Path) -> None:
    with served(path, FakeTable()), running(command(path), {**BASE, "TERM": "dumb"}) as screen:
        screen.until(lambda screen: "  1  " in screen.text and screen.text.rstrip().endswith("\n>"))
        assert b"\x1b" not in screen.raw
        screen.type("quit\n")
        assert screen.exit_code() == 0


def test_small_window_gets_a_list_and_growing_it_brings_the_grid(path: Path) -> None:
    with served(path, FakeTable()), running(command(path), BASE, columns=40, lines=10) as screen:
        screen.until(lambda screen: "You are R▴" in screen.text and READY in screen.text)
        assert "inner" not in screen.text
        screen.resize(80, 24)
        screen.type("board\r")
        screen.until(lambda screen: "jupiter    " in screen.text)


def test_window_that_closes_leaves_the_node(path: Path) -> None:
    with served(path, FakeTable()) as gateway:
        with running(command(path), BASE) as screen:
            screen.until(lambda screen: READY in screen.text)
        with running(command(path), BASE) as screen:
            screen.until(lambda screen: READY in screen.text)
        assert gateway.requests == []


@pytest.mark.parametrize(
    ("stop_node", "asked", "said"),
    [
        (True, "quit", "The match is saved. Go on with: again abababab\n"),
        (False, "detach", "Your node stays at the table. Come back with: here /"),
    ],
)
def test_whoever_starts_the_node_says_what_becomes_of_it(path: Path, stop_node: bool, asked: str, said: str) -> None:
    code = (
        "import asyncio; from sunward_client.line import attach; commands = "
        "{'resume': 'again {match:.8}', 'again': 'here {path}'}; "
        f"print(asyncio.run(attach({str(path)!r}, **commands, stop_node={stop_node})))"
    )

    async def body(gateway: FakeGateway) -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, env=dict(BASE)
        )
        out = (await asyncio.wait_for(process.communicate(), 30))[0].decode()
        assert said in out
        assert out.endswith("Outcome(end=<End.INPUT_ENDED: 'there was no more input'>, file=None, invite=None)\n")
        assert gateway.requests == [{"do": asked}]

    with_table(path, FakeTable(), body)


def test_a_table_that_never_began_has_nothing_to_resume(path: Path) -> None:
    async def body(gateway: FakeGateway) -> None:
        client = asyncio.create_task(piped(path, b""))
        gateway.publish(event="lobby", text="1 of 3 are at the table.", members=[])
        await asyncio.wait_for(gateway.attached.wait(), 20)
        gateway.hang_up()
        assert (await client)[
            1
        ] == "The table is being set.\nThe node stopped.\nThe match had not begun: nothing is lost.\n"

    table = FakeTable()
    table.events.clear()
    with_table(path, table, body)


PEOPLE = [{"name": name, "words": f"{name} words", "ready": False, "owner": None} for name in ("Ann", "Bo", "Cy")]


def test_in_a_lobby_with_people_a_pipe_is_read_and_actions_wait_for_their_turn(path: Path) -> None:
    table = FakeTable()
    begun = table.events[:]
    table.events[:] = [{"event": "lobby", "text": "3 of 3 are at the table.", "members": PEOPLE, "you": 0, "seats": 3}]

    async def body(gateway: FakeGateway) -> None:
        client = asyncio.create_task(piped(path, b"ready\nsay hello\nmute bo\n1\nquit\n"))
        while len(gateway.requests) < 2:
            gateway.asked.clear()
            await asyncio.wait_for(gateway.asked.wait(), 20)
        gateway.publish(event="said", name="Cy", words="Cy words", text="hi")
        table.events += begun
        gateway.flush()
        code, out, _ = await client
        assert code == 0
        assert "Cy: hi\n" in out
        assert [request["do"] for request in gateway.requests] == ["ready", "say", "act", "quit"]

    with_table(path, table, body)


def test_after_the_end_a_terminal_stays_for_looking_back_and_a_rematch(path: Path) -> None:
    code = (
        "import asyncio; from sunward_client.line import attach; "
        f"outcome = asyncio.run(attach({str(path)!r}, resume='', again='')); print(outcome.end.name, outcome.invite)"
    )
    table = FakeTable()
    table.play(200)
    with served(path, table) as gateway, running([sys.executable, "-c", code], BASE, lines=40) as screen:
        screen.until(lambda screen: "the match is over>" in screen.text)
        assert "Match file: /matches/abab.sunward" in screen.lines
        assert any(line.startswith("You came ") or "Ann wins" in line for line in screen.lines)
        screen.type("log 5\r")
        screen.until(lambda screen: "in all." in screen.text)
        gateway.loop.call_soon_threadsafe(lambda: gateway.publish(event="offer", name="Bo", invite="sunward1-xyz"))
        screen.until(lambda screen: "Bo offers another match" in screen.text)
        screen.type("rematch\r")
        screen.until(lambda screen: "REMATCH sunward1-xyz" in screen.text)


def test_whoever_is_away_stands_in_the_prompt_with_the_time(path: Path) -> None:
    with served(path, FakeTable()) as gateway, running(command(path), BASE) as screen:
        screen.until(lambda screen: READY in screen.text)
        gateway.loop.call_soon_threadsafe(lambda: gateway.publish(event="away", seat=1))
        screen.until(lambda screen: "R▴ Ann, your choice (B◉ Bo away 0:01)>" in screen.text)
        gateway.loop.call_soon_threadsafe(lambda: gateway.publish(event="back", seat=1))
        screen.until(lambda screen: READY in screen.lines[-1] or READY in screen.text.splitlines()[-1])


def test_later_tables_of_a_pipe_hold_only_what_changed(path: Path) -> None:
    async def body(_: FakeGateway) -> None:
        out = (await piped(path, b"1\n1\nquit\n"))[1]
        first, second, *_rest = out.split("Your turn.\n")[1:]
        assert "empty: " in first
        assert set(first.splitlines()) & set(second.splitlines()) <= {""} | {
            line for line in first.splitlines() if line.startswith("  1  ")
        }

    with_table(path, FakeTable(), body)
