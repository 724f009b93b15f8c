"""Data to learn from: the options that commands which fit models share, and reading the data."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.options import (
    Command,
    comma_list,
    confidence_option,
    labels_of,
    number,
    whole,
    with_options,
)
from tallymark.cli.rows import opened
from tallymark.cli.run_folder import run_folder_of, told_of
from tallymark.errors import OptionError, naming, precise

if TYPE_CHECKING:
    from pathlib import Path

    from tallymark.validation.data.data_set import DataSet
    from tallymark.validation.runs.folder import RunFolder

target_option = click.option(
    "--target", "targets", metavar="COL", multiple=True, help="Column with the classes to learn."
)
_DATA = (
    click.option("--positive", "positives", metavar="LABEL", multiple=True,
                 help="The class that recall, precision and so on are about."),
    click.option("--labels", metavar="A,B,...", help="All classes, in the order to show them in."),
    click.option("--group", metavar="COL",
                 help="Rows with the same value belong together (a patient): no group is trained and tested "
                 "on at once."),
    click.option("--features", metavar="COL,...", help="Columns to learn from. [default: all others]"),
    click.option("--ignore", metavar="COL,...", help="Columns not to learn from."),
    click.option("--id", metavar="COL", help="Column that tells the rows apart; not learned from."),
    click.option("--text", metavar="COL,...",
                 help="Columns whose numbers are names, such as codes of regions."),
    click.option("--drop-missing", is_flag=True, help="Leave out rows whose class is missing, and say so."),
    click.option("--missing", metavar="WORD", multiple=True, help="A word that means missing. Repeatable."),
    click.option("--delimiter", metavar="C",
                 help="What separates the columns of a text file; `tab` for tabs."),
)  # fmt: skip


def jobs(text: str) -> int:
    """How many workers; -1 stands for all processors, as in joblib."""
    if text in ("all", "-1"):
        return -1
    if not text.isdecimal() or int(text) == 0:
        raise click.BadParameter(f"expected a whole number from 1 up, or all; got {text!r}.")
    return int(text)


_FITTING = (
    click.option("--costs", metavar="COSTS",
                 help="What each answer costs: '0 10; 1 0' in the order of --labels, JSON by "
                 "names, or a file."),
    click.option("--oversample", type=number, metavar="R",
                 help="Repeat training rows of smaller classes until each has R times as many as the "
                 "largest. Test rows stay as they are."),
    click.option("--undersample", type=number, metavar="R",
                 help="Leave out training rows of larger classes until the smallest has R times as many as "
                 "each of them."),
    click.option("--jobs", type=jobs, metavar="N", default="1", show_default=True,
                 help="Fit so many models at once; all for one per processor. The results are the same."),
    click.option("--scheduler", metavar="ADDRESS",
                 help="Fit on the workers of a Dask cluster instead, such as tcp://10.0.0.5:8786. The "
                 "results are the same."),
    confidence_option,
    click.option("--seed", type=whole, metavar="N", default="0", show_default=True,
                 help="Seed of the random draws."),
    click.option("--run-folder", metavar="FOLDER",
                 help="Keep every finished fit here: the same command goes on from there when it was "
                 "interrupted, and with more models, candidates or permutations makes only those. See "
                 "`tallymark runs`."),
    click.option("--retry-failed", is_flag=True, help="Try again the fits that failed in the run folder."),
)  # fmt: skip


@dataclass(frozen=True)
class Fitting:
    """How models are fitted, whatever is asked of them."""

    costs: str | None
    oversample: float | None
    undersample: float | None
    n_jobs: int
    confidence: float
    seed: int
    run_folder: RunFolder | None

    @property
    def options(self) -> dict[str, Any]:
        """As arguments of `validate` and its sisters."""
        return {
            "sampler": self._sampler(),
            "n_jobs": self.n_jobs,
            "confidence_level": self.confidence,
            "random_state": self.seed,
            "run_folder": self.run_folder,
        }

    def _sampler(self) -> Any:
        if self.oversample is None and self.undersample is None:
            return None
        if self.oversample is not None and self.undersample is not None:
            raise OptionError("--oversample and --undersample exclude each other.", hint="give one of them.")
        from tallymark.resampling.sampling import Oversampling, Undersampling

        ratio = self.oversample if self.undersample is None else self.undersample
        assert ratio is not None
        if not 0 < ratio <= 1:
            option = "--oversample" if self.undersample is None else "--undersample"
            raise OptionError(
                f"{option} is a ratio above 0 and up to 1; got {precise(ratio, 0, 1)}.",
                hint="1 makes all classes equally frequent.",
            )
        return Oversampling(ratio) if self.undersample is None else Undersampling(ratio)

    def costs_of(self, data: DataSet, *, stated: bool) -> dict[str, Any]:
        """The costs in the order of the labels, as arguments; checked before anything is fitted."""
        if self.costs is None:
            return {}
        from tallymark.intake.costs import read_costs

        costs = read_costs(self.costs, labels=data.labels, order_stated=stated)
        return {"costs": costs.matrix, "labels": costs.labels}


@dataclass(frozen=True)
class LearningData:
    """What was said of the data to learn from."""

    targets: tuple[str, ...]
    positives: tuple[str, ...]
    group: str | None
    options: dict[str, Any]
    """Other arguments of `one_data_set`."""

    @property
    def labels_stated(self) -> bool:
        return self.options["labels"] is not None

    def read(self, files: Sequence[str], groups: Any = None) -> DataSet:
        """The rows of the files, which are parts of one table; `groups` names their columns, if any do."""
        if not files:
            raise OptionError("DATA is missing.", hint="name a file, or - for standard input.")
        target, positive = _one(self.targets, "--target"), _one(self.positives, "--positive")
        with opened(files) as paths:
            return self._read(paths, _name_of(files[0]), target, positive, groups)

    def read_each(self, files: Mapping[str, str], groups: Any = None) -> dict[str, DataSet]:
        """Several data sets by name; `--target` and `--positive` may say NAME=... for one of them."""
        targets = _by_name(self.targets, files, "--target")
        positives = _by_name(self.positives, files, "--positive")
        from tallymark.tallies.labels import quoted

        found = {}
        with opened(tuple(files.values())) as paths:
            for name, path in zip(files, paths, strict=True):
                with naming([path], f"data set {quoted(name)}"):
                    found[name] = self._read([path], name, targets[name], positives[name], groups)
        return found

    def _read(
        self, paths: Sequence[Path], name: str, target: str | None, positive: str | None, groups: Any
    ) -> DataSet:
        from tallymark.validation.data.given import one_data_set

        if target is None:
            raise OptionError("--target is missing.", hint="name the column with the classes: --target COL.")
        return one_data_set(
            list(paths), target=target, pos_label=positive, groups=groups, name=name, **self.options
        )


def data_options(function: Command) -> Command:
    """Gather what is said of the data into `data`, and of the fits into `fitting`."""

    @functools.wraps(function)
    def gathered(
        *,
        targets: tuple[str, ...],
        positives: tuple[str, ...],
        labels: str | None,
        group: str | None,
        features: str | None,
        ignore: str | None,
        id: str | None,
        text: str | None,
        drop_missing: bool,
        missing: tuple[str, ...],
        delimiter: str | None,
        costs: str | None,
        oversample: float | None,
        undersample: float | None,
        jobs: int,
        scheduler: str | None,
        confidence: float,
        seed: int,
        run_folder: str | None,
        retry_failed: bool,
        quiet: bool,
        **others: Any,
    ) -> None:
        options = {
            "labels": None if labels is None else labels_of(comma_list(labels, "--labels")),
            "features": None if features is None else comma_list(features, "--features"),
            "ignore": () if ignore is None else tuple(comma_list(ignore, "--ignore")),
            "id": id,
            "text": () if text is None else tuple(comma_list(text, "--text")),
            "missing": "drop" if drop_missing else "error",
            "missing_words": missing,
            "delimiter": delimiter,
        }
        folder = run_folder_of(run_folder, retry_failed=retry_failed)
        with told_of(folder, quiet=quiet), _workers(scheduler, jobs):
            function(
                data=LearningData(targets, positives, group, options),
                fitting=Fitting(costs, oversample, undersample, jobs, confidence, seed, folder),
                quiet=quiet,
                **others,
            )

    return with_options((*_DATA, *_FITTING), gathered)


def _workers(scheduler: str | None, jobs: int) -> AbstractContextManager[None]:
    """Who makes the fits."""
    if scheduler is None:
        return nullcontext()
    if jobs != 1:
        raise OptionError(
            "--jobs is for this machine, and --scheduler for another.",
            hint="leave out --jobs: all workers of the cluster are used.",
        )
    from tallymark.validation.fits.cluster import workers_at

    return workers_at(scheduler)


def _one(given: Sequence[str], option: str) -> str | None:
    if len(given) > 1:
        raise OptionError(
            f"{option} is given {len(given)} times: {', '.join(map(repr, given))}; once is enough."
        )
    return given[0] if given else None


def _by_name(given: Sequence[str], names: Mapping[str, str], option: str) -> dict[str, str | None]:
    """One word for all data sets, or NAME=word for some; what begins otherwise is a word with an = in it."""
    special: dict[str, str] = {}
    general: list[str] = []
    for item in given:
        name, equals, word = item.partition("=")
        if not (equals and name in names):
            general.append(item)
        elif name in special:
            raise OptionError(f"{option} is given twice for {name!r}: {special[name]!r} and {word!r}.")
        else:
            special[name] = word
    shared = _one(general, option)
    return {name: special.get(name, shared) for name in names}


def _name_of(file: str) -> str:
    from pathlib import Path

    if file == "-":
        return "standard input"
    return Path(file).name.partition(".")[0] or file
