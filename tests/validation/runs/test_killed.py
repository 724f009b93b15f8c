"""Runs that are killed, at any moment, and asked again: nothing finished is lost, and the end is the same."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from nursery import QUESTIONS

from tallymark.validation.runs import records

KILLS = 20


def sound(folder: Path) -> int:
    """How many records are there; every one must be whole."""
    found = list((folder / "fits").glob("*.npz"))
    for place in found:
        records.read(place)
    return len(found)


def left_over(folder: Path) -> list[Path]:
    """What a run that has ended should have cleared away."""
    return [*(folder / "at_work").iterdir(), *(folder / "set_aside").iterdir(), *folder.glob("*/.*")]


@pytest.mark.parametrize("question", ["validate", "tune"])
def test_twenty_kills_at_random_moments_change_nothing(
    question: str, made: Any, start: Any, tmp_path: Path
) -> None:
    undisturbed = QUESTIONS[question](None).replace("Counted()", "Counted(pause=0.015)")
    needed = made.fits
    made.forget()
    chance = random.Random(question)
    folder, kept, inside = tmp_path / "runs", 0, 0
    for _ in range(KILLS):
        # After none, or some more fits, so that on a slow machine as well kills are in the midst of them.
        reached = len(made.fits) + chance.randint(0, 3)
        child = start(question, folder=folder, pause=0.015)
        while len(made.fits) < reached:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.02))
        child.kill()
        assert child.wait() == -signal.SIGKILL, "it ended before it was killed"
        before, kept = kept, sound(folder)
        assert kept >= before
        inside += 0 < kept < len(needed)
    assert inside > KILLS // 2, "most were neither before the first record nor after the last"
    assert start(question, folder=folder, pause=0.015).answer() == undisturbed
    assert set(made.fits) == set(needed)
    assert len(made.fits) <= len(needed) + KILLS, "more is lost than what was at work"
    assert not left_over(folder)


@pytest.mark.parametrize("question", ["learn", "permute"])
def test_a_few_kills_change_nothing_of_the_others_either(
    question: str, made: Any, start: Any, tmp_path: Path
) -> None:
    undisturbed = QUESTIONS[question](None).replace("Counted()", "Counted(pause=0.015)")
    needed = made.fits
    made.forget()
    for some in (2, 5, 8):
        child = start(question, folder=tmp_path / "runs", pause=0.015)
        while len(made.fits) < some:
            time.sleep(0.002)
        child.kill()
        assert child.wait() == -signal.SIGKILL
        assert 0 < sound(tmp_path / "runs") < len(needed)
    assert start(question, folder=tmp_path / "runs", pause=0.015).answer() == undisturbed
    assert set(made.fits) == set(needed)
    assert len(made.fits) <= len(needed) + 3
    assert not left_over(tmp_path / "runs")


def test_killed_in_every_step_of_writing(made: Any, start: Any, tmp_path: Path) -> None:
    undisturbed = QUESTIONS["few"](None)
    step, died = 0, True
    while died:
        step += 1
        made.forget()
        folder = tmp_path / f"run {step}"
        died = start("few", folder=folder, dies_at=step).wait() != 0
        kept, before = sound(folder), len(made.fits)
        assert before - kept in (0, 1), "only the fit at work is lost"
        assert start("few", folder=folder).answer() == undisturbed
        assert len(made.fits) - before == 3 - kept, "what is recorded is not made again"
        assert not left_over(folder)
    assert step > 20, "a folder, a marker, three records: there are more steps than that"
