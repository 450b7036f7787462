"""`sunward arena`: bots play many matches without a network, and who wins is counted.

Must never let the number of processes change a result: a match depends on the seed and its number alone.
"""

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, Protocol

from sunward.exits import Exit
from sunward_node.bots import catalog as bots
from sunward_node.bots.arena import play, seed_of
from sunward_protocol.errors import LocalError
from sunward_protocol.export import Player, lines
from sunward_protocol.games import catalog as games
from sunward_protocol.games.game import Result, Seat

CHUNK = 10
"""Matches that a process is given at a time: about a tenth of a second, so that it ends soon when told to."""


class Options(Protocol):
    """The command's flags."""

    game: str
    bots: Sequence[str]
    settings: Sequence[tuple[str, str]]
    components: str | None
    matches: int
    seed: str
    jobs: int | None
    export: str | None
    json: bool
    quiet: bool


@dataclass(frozen=True, slots=True)
class Series:
    """What is played, as a process is told of it: seat k is always the k-th bot, since the rules favour no seat."""

    game: str
    components: bytes
    bots: tuple[str, ...]
    options: Mapping[str, str]
    seed: str
    folder: Path | None

    def play(self, numbers: range) -> list[Result]:
        """Play these matches, and write each of them down if there is a folder."""
        game = games.find(self.game)
        ruleset = game.load(self.components)
        seated = [bots.find(name, game) for name in self.bots]
        players = [Player(f"{name} {seat}") for seat, name in enumerate(self.bots)]
        results: list[Result] = []
        for number in numbers:
            position = ruleset.start(len(seated), self.options)
            turns = list(play(position, seated, seed_of(self.seed, number)))
            result = position.result()
            assert result is not None
            results.append(result)
            if self.folder is not None:
                _write(self.folder / f"{number:06}.jsonl", lines(ruleset, self.options, players, turns))
        return results


def run(options: Options) -> int:
    """Play the series and print who won how often."""
    series = _series(options)
    shows_progress = sys.stderr.isatty() and not options.quiet
    results: list[Result] = []
    for played in _play(series, options.matches, options.jobs or os.cpu_count() or 1):
        results += played
        if shows_progress:
            end = "\n" if len(results) == options.matches else ""
            print(f"\r{len(results)} of {options.matches} matches", end=end, file=sys.stderr, flush=True)
    counted = [tally(seat, name, results) for seat, name in enumerate(series.bots)]
    if options.json:
        told = [count._asdict() for count in counted]
        print(json.dumps({"matches": len(results), "game": series.game, "seed": series.seed, "bots": told}))
    else:
        print(f"{len(results)} matches, seed {series.seed}", *_table(counted), sep="\n")
    return Exit.OK


def _series(options: Options) -> Series:
    """Check the flags before the first match is played."""
    game = games.find(options.game)
    source = options.components
    ruleset = game.load(game.builtin()) if source is None else game.load(Path(source).read_bytes(), source)
    if len(options.bots) not in game.seat_counts:
        fewest, most = game.seat_counts[0], game.seat_counts[-1]
        raise LocalError(
            f"{game.title} is for {fewest} to {most} players, and the arena takes a bot for each seat; "
            f"--bots names {len(options.bots)}."
        )
    for name in options.bots:
        bots.find(name, game)
    settings = dict(options.settings)
    ruleset.start(len(options.bots), settings)
    folder = Path(options.export) if options.export is not None else None
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from error
    return Series(game.name, ruleset.components, tuple(options.bots), settings, options.seed, folder)


def _play(series: Series, matches: int, jobs: int) -> Iterator[list[Result]]:
    """Yield the results in order of the matches' numbers."""
    chunks = [range(first, min(first + CHUNK, matches)) for first in range(0, matches, CHUNK)]
    workers = min(jobs, len(chunks))
    if workers == 1:
        yield from map(series.play, chunks)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _ignore_interrupts) as pool:
        try:
            yield from pool.map(series.play, chunks)
        except BrokenProcessPool as error:
            raise LocalError("A process of the arena was killed; if memory is short, try --jobs 1.") from error


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which every process of a terminal hears, to the one that prints."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _write(path: Path, text: Iterable[str]) -> None:
    """Write a file that is either whole or not there; one of the same name is replaced."""
    partial = path.with_suffix(".partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in text)
        partial.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            partial.unlink()


def _unwritable(path: Path, error: OSError) -> LocalError:
    return LocalError(f"{path} cannot be written: {error.strerror}. Make room there, or give --export another folder.")


class Tally(NamedTuple):
    """How one seat did."""

    seat: Seat
    name: str
    matches: int
    wins: float
    win_rate: float
    mean_score: float


def tally(seat: Seat, name: str, results: Sequence[Result]) -> Tally:
    """Count for one seat; a shared win counts its share."""
    matches = len(results)
    wins = sum(Fraction(1, len(result.winners)) for result in results if seat in result.winners)
    score = sum(result.scores[seat] for result in results)
    return Tally(seat, name, matches, float(wins), float(wins / matches), score / matches)


def _table(counted: Sequence[Tally]) -> Iterator[str]:
    yield f"{'seat':>4}  {'bot':<10}{'wins':>9}{'rate':>9}{'score':>9}"
    for one in counted:
        yield f"{one.seat:>4}  {one.name:<10}{one.wins:>9.1f}{one.win_rate:>9.1%}{one.mean_score:>9.1f}"
