"""`sunward doctor`: what could keep one from playing, and what to do about it."""

import json
import os
from dataclasses import asdict
from typing import Protocol

from sunward.exits import Exit
from sunward.tabling import listening
from sunward_node.doctor.examination import examine, worst
from sunward_node.doctor.finding import Level
from sunward_node.places import Places


class Options(Protocol):
    """The command's flags."""

    json: bool
    listen: str | None


EXITS = {Level.OK: Exit.OK, Level.WARNING: Exit.OK, Level.FAILED: Exit.LOCAL}
"""A warning is no failure: everything can be played with it."""


def run(options: Options) -> int:
    """Print every finding; end by the worst."""
    findings = examine(Places.find(os.environ), listening(options.listen))
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            print(f"{finding.level:7}  {finding.check:12}  {finding.sentence}")
    return EXITS[worst(findings)]
