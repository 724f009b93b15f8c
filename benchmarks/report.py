"""The page: how large it is and how long it takes to write, against the number of rows and of classes.

And its live part: how large that is, and how long a step of its slider takes in Chromium.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import tallymark as tm
from curves import everything, rows
from speed import at_most, best_of
from tallymark.drawing.html import page
from tallymark.drawing.html.views import packed
from tallymark.evaluation.live.data import live_data
from tallymark.evaluation.live.section import live_section

FEW, MOST_EXACT, MANY = 1_000, 4_096, 2_000_000
COSTS = [[0, 1], [5, 0]]
CLASSES = (10, 100, 1_000)
LARGEST = 150_000
"""Bytes of a page for two classes and two models."""
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium"
FRAME = 16.0
"""Milliseconds between two pictures on a screen."""
STEPS = """() => {
  const slider = document.getElementById("live-at");
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const taken = [];
  for (let step = 0; step < 200; step += 1) {
    slider.value = low + ((high - low) * ((step * 37) % 200)) / 200;
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    taken.push(performance.now() - start);
  }
  return taken.sort((one, other) => one - other);
}"""
"""The slider moved 200 times, the page laid out after each."""


def pages(make: Callable[[], Any], count: Callable[[], Any]) -> tuple[int, float]:
    """The bytes of a page, and its seconds, with those of counting, against those of counting alone."""
    written = page(make().report())
    taken = best_of(lambda: page(make().report()), 1)
    return len(written.encode()), taken / best_of(count, 1)


def two_models() -> None:
    print("\nTwo classes, two models, costs, continuous scores")
    sizes = []
    for n in (FEW, MOST_EXACT, MANY):
        actual, score = rows(n)
        other = np.clip(score + np.random.default_rng(1).normal(0, 0.1, n), 0, 1)

        def compared(actual: Any = actual, scores: Any = (score, other)) -> Any:
            models = [tm.evaluate(actual, y_score=each, labels=[0, 1], costs=COSTS) for each in scores]
            return tm.compare(dict(zip(("one", "other"), models, strict=True)))

        def counted(actual: Any = actual, scores: Any = (score, other)) -> None:
            for each in scores:
                everything(actual, each)

        size, ratio = pages(compared, counted)
        sizes.append(size)
        at_most(f"{n:,} rows: the largest page that we allow", size / LARGEST, 1, f"{size / 1000:.0f} kB")
        if n == MANY:
            at_most(f"{n:,} rows: two evaluations with all curves", ratio, 15)
    at_most(f"{MANY:,} rows: the page of {FEW:,}", sizes[-1] / sizes[0], 1.2)


def live_part() -> None:
    print("\nThe live part of a page, two classes")
    for n, most in ((FEW, 8_000), (MOST_EXACT, 8_000), (MANY, 12_000)):
        ev = scored(n)
        written = best_of(lambda ev=ev: page(ev.report()), 1)
        size = len(packed(live_data({"": ev}) or {}))
        at_most(f"{n:,} rows: {most / 1000:.0f} kB of data", size / most, 1, f"{size / 1000:.1f} kB")
        share = best_of(lambda ev=ev: packed(live_data({"": ev}) or {})) / written
        at_most(f"{n:,} rows: writing the whole page", share, 0.1)
    block: Any = live_section({"": ev})[0].blocks[0]
    for name in ("script", "style", "markup"):
        print(f"  {f'its {name}':<58} {len(getattr(block, name).encode()) / 1000:>8.1f} kB")


def scored(n: int, seed: int = 0) -> tm.Evaluation:
    actual, score = rows(n)
    other = np.clip(score + np.random.default_rng(seed).normal(0, 0.02, n), 0.001, 0.999)
    return tm.evaluate(actual, y_score=other, labels=[0, 1], costs=COSTS)


def slider() -> None:
    print("\nA step of the slider, 4,096 thresholds, two models, costs")
    models = {name: scored(MOST_EXACT, seed) for seed, name in enumerate(("one", "other"))}
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        tm.compare(models).save(path)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.goto(path.as_uri())
        while opened.evaluate("document.querySelector('section[hidden] #live-data') !== null"):
            opened.wait_for_timeout(20)
        taken = opened.evaluate(STEPS)
        browser.close()
    for name, place in (("half of the steps", 100), ("19 of 20 steps", 190)):
        at_most(f"{name}: {FRAME:.0f} ms", taken[place] / FRAME, 1, f"{taken[place]:.1f} ms")


def many_classes() -> None:
    print("\nMany classes, labels only, 20 rows a class")
    random = np.random.default_rng(0)
    for classes in CLASSES:
        actual = random.integers(0, classes, 20 * classes)
        wrong = (actual + random.integers(1, 30, len(actual))) % classes
        predicted = np.where(random.random(len(actual)) < 0.8, actual, wrong)
        evaluated = partial(tm.evaluate, actual, predicted)
        size, ratio = pages(evaluated, lambda make=evaluated: make().document())
        at_most(f"{classes:,} classes: 600 kB", size / 600_000, 1, f"{size / 1000:.0f} kB")
        at_most(f"{classes:,} classes: the printed report", ratio, 5)


def main() -> None:
    two_models()
    live_part()
    slider()
    many_classes()


if __name__ == "__main__":
    main()
