"""`sunward tables` on a network of namespaces: what is listed, and the invite that leads to each table."""

import json
import subprocess
import sys

import pytest

from sunward.commands.tables import describe
from sunward.exits import Exit
from sunward_node.invites import read_invite
from sunward_protocol.errors import LocalError
from support.lan_peers import announcer, browser, open_table
from support.namespaces import Host, Network
from support.sockets import live

_RUN = """
import sys
from types import SimpleNamespace
from sunward.commands.tables import run
sys.exit(run(SimpleNamespace(json=sys.argv[1] == "json", wait=1.5, quiet=False)))
"""


def listed(host: Host, form: str, home: object) -> subprocess.CompletedProcess[str]:
    command = host.command("env", f"SUNWARD_HOME={home}", sys.executable, "-c", _RUN, form)
    return subprocess.run(command, capture_output=True, text=True, timeout=20.0, check=False)


@pytest.mark.slow
@live
async def test_an_open_table_is_listed_with_an_invite_to_it(tmp_path: object) -> None:
    with Network(hosts=2) as net:
        none = listed(net.hosts[1], "text", tmp_path)
        assert (none.returncode, none.stdout) == (Exit.OK, "")
        assert none.stderr == ("No table on this network within 1.5 s: ask for an invite, or see `sunward doctor`.\n")
        async with announcer(net.hosts[0]) as host, browser(net.hosts[1]) as there:
            host.show(1, taken=3)
            await there.until(lambda tables: "Host 1" in tables, 5.0)
            text = listed(net.hosts[1], "text", tmp_path)
            assert text.stdout == f"around  3 of 4 seats taken  Host 1 ({open_table(1).words})\n"
            assert text.stderr == "`sunward join` lets you choose one of them.\n"
            (told,) = json.loads(listed(net.hosts[1], "json", tmp_path).stdout)
            assert (told["host"], told["taken"], told["seats"], told["known"]) == ("Host 1", 3, 4, None)
            invite, game = read_invite(told["invite"])
            assert game == "around"
            assert invite.identity == open_table(1).invite.identity
            assert {"tcp://10.77.1.1:4242", "tcp://[fd77:1::1]:4242"} == set(invite.endpoints)


def test_a_friend_is_called_by_your_name_and_another_version_is_said() -> None:
    table = open_table(1)
    assert describe(table, {}) == f"around  1 of 4 seats taken  Host 1 ({table.words})"
    friends = {bytes.fromhex(table.invite.identity): "Ada"}
    assert describe(table, friends) == f"around  1 of 4 seats taken  Host 1 ({table.words}), your Ada"


def test_switched_off_it_says_how_to_switch_it_on(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from sunward.commands.tables import run

    class Flags:
        json, wait, quiet = False, 1.0, False

    monkeypatch.setenv("SUNWARD_HOME", str(tmp_path))
    monkeypatch.setenv("SUNWARD_DISCOVERY", "no")
    with pytest.raises(LocalError, match=r"join with an invite, or set it to yes \(in .*settings.toml, or SUNWARD_DI"):
        run(Flags())
