"""All benchmarks: `make bench`. Ratios within this run, and the measured coverage of every interval."""

from __future__ import annotations

import coverage_binomial
import coverage_cells
import speed


def main() -> None:
    for title, part in (
        ("Speed and memory", speed),
        ("Coverage of the binomial intervals (exact)", coverage_binomial),
        ("Coverage of the intervals of other numbers", coverage_cells),
    ):
        print(f"\n=== {title} ===")
        part.main()


if __name__ == "__main__":
    main()
