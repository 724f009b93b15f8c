"""`--metrics-file`: the numbers alone, for what follows them from run to run."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import realpath
from typing import TYPE_CHECKING

import click

from tallymark.cli.failures import visible
from tallymark.cli.output import Output
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.cli.reporting import Report
    from tallymark.evaluation import Evaluation

metrics_file_option = click.option(
    "--metrics-file",
    metavar="JSON",
    help="Also write value, low and high of every number to this file, as DVC reads it; those of --metric "
    "alone where some are named.",
)


def check_metrics_file(path: str | None, report: Report, output: Output) -> None:
    """Refuse, before any work is done, what could not be written."""
    if path is None:
        return
    from tallymark.integrations.metrics_file import check_metrics_file

    if report.explain:
        raise OptionError("--explain shows formulas instead of numbers, so --metrics-file has none to write.")
    check_metrics_file(path, overwrite=output.force)
    if output.path is not None and realpath(path) == realpath(output.path):
        raise OptionError(f"--metrics-file {path} would replace what -o writes.", hint="name another file.")


def write_metrics_file(
    path: str | None, evs: Mapping[str, Evaluation], report: Report, output: Output
) -> None:
    """Write it, and say which numbers are not in it and why; one evaluation has no name."""
    if path is None:
        return
    from tallymark.integrations.metrics_file import left_out, save_metrics

    evs = {name: report.seen(ev) for name, ev in evs.items()}
    asked = report.metrics or None
    save_metrics(evs[""] if list(evs) == [""] else evs, path, asked, overwrite=output.force)
    output.say_written(path)
    for name, ev in () if output.quiet else evs.items():
        reasons: dict[str, list[str]] = {}
        for metric, why in left_out(ev, asked).items():
            reasons.setdefault(why, []).append(metric)
        for why, metrics in reasons.items():
            of = f", {name}" if name else ""
            click.echo(visible(f"not in {path}{of}, because {why}: {', '.join(metrics)}"), err=True)
