"""What to read first: how good the answers are, in words and counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.curves.shared import share_of
from tallymark.drawing import count, number, percents_together
from tallymark.evaluation.description import opening
from tallymark.evaluation.report.models import in_percent
from tallymark.inference import undefined
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import Estimate

_SEEN = 0.001
"""A share of tied pairs from which on they are spoken of."""


def verdict(ev: Evaluation) -> str:
    """At most three sentences about one model."""
    said = [_right(ev), _classes(ev), _ranked_and_paid(ev)]
    return " ".join(sentence for sentence in said if sentence)


def verdicts(models: Models) -> str:
    """The share that is right, model by model, where nothing compares them."""
    shares = {name: _share_right(ev) for name, ev in models.items()}
    first = next(iter(models.values()))
    baseline = _baseline(first)
    beside = (baseline, *(each.value for each in shares.values()))
    known = [
        f"{name} {in_percent(each, *beside)[0]}" for name, each in shares.items() if each.value is not None
    ]
    if not known:
        return ""
    what = "exactly right" if first.sets is not None else "right"
    against = ""
    if baseline is not None:
        against = f"; always answering {_majority(first)} would be right in {percents_together(*beside)[0]}"
    return f"Share of the rows that are answered {what}: {', '.join(known)}{against}."


def _share_right(ev: Evaluation) -> Estimate:
    if ev.counted is None:
        return undefined(ev.why_not or "")
    return ev["subset_accuracy" if ev.sets is not None else "accuracy"]


def _baseline(ev: Evaluation) -> float | None:
    """The share that is right when the most frequent class is always answered."""
    return None if ev.confusion is None else ev["no_information_rate"].value


def _majority(ev: Evaluation) -> str:
    assert ev.confusion is not None
    return quoted(ev.labels[int(ev.confusion.margins.actual.argmax())])


def _right(ev: Evaluation) -> str:
    """Which share of the answers is right, and whether that is more than without looking at the rows."""
    accuracy = _share_right(ev)
    if accuracy.value is None:
        return "" if ev.counted is None else f"Which share is right is undefined: {accuracy.why}."
    rows = f"{count(ev.rows)} {'row' if ev.rows == 1 else 'rows'}"
    if ev.sets is not None:
        right, wrong = in_percent(accuracy, ev["hamming_loss"].value)
        return f"Of {rows} {right} were given exactly their labels; of all single labels {wrong} are wrong."
    baseline = _baseline(ev)
    if baseline is None or len(ev.labels) < 2:
        return f"Of {_whole(ev, rows)} {in_percent(accuracy)[0]} are answered right."
    right, without = in_percent(accuracy, baseline)
    return (
        f"Of {_whole(ev, rows)} {right} are answered right{_against(accuracy, baseline)} always answering "
        f"{_majority(ev)} would be right in {without}."
    )


def _whole(ev: Evaluation, rows: str) -> str:
    """What shares are of: the rows, their weight, or as many rows of other class shares."""
    assert ev.sample is not None
    if ev.sample.shares is not None:
        return f"{rows} with the class shares asked for"
    return f"the weight of {rows}" if ev.sample.confusion.squares is not None else rows


def _against(accuracy: Estimate, baseline: float) -> str:
    if accuracy.low is None or accuracy.high is None:
        return ";"
    if accuracy.low > baseline:
        return ", clearly more than without looking:"
    if accuracy.high < baseline:
        return ", less than without looking:"
    return ", not clearly more than without looking:"


def _classes(ev: Evaluation) -> str:
    """Of the positive class what is found and which alarms are true; else which class is found best."""
    if ev.counted is None or ev.sets is not None:
        return ""
    if ev.positive is not None:
        return _positives(ev)
    recalls = [(result["recall"].value, label) for label, result in ev.per_class.items() if result.support]
    known = [(value, label) for value, label in recalls if value is not None]
    if len(known) < 2:
        return ""
    best, worst = max(known, key=lambda pair: pair[0]), min(known, key=lambda pair: pair[0])
    if best[0] == worst[0]:
        return f"Of every class {share_of(best[0])} are found."
    most, least = percents_together(best[0], worst[0])
    return f"Found best is {quoted(best[1])}, {most} of its rows, and worst {quoted(worst[1])}, {least}."


def _positives(ev: Evaluation) -> str:
    """In counts, or where rows count differently in shares alone."""
    assert ev.positive is not None
    assert ev.sample is not None
    tally = ev.per_class[ev.positive].tally
    assert tally is not None
    found, actual, called = count(tally.tp), tally.actual_positive, tally.tp + tally.fp
    label = quoted(ev.positive)
    if not actual:
        rows = f"{count(called)} {'is' if called == 1 else 'are'}" if called else "none is"
        return f"No row is actually {label}, and {rows} called so."
    recall, precision = percents_together(*(ev[name].value for name in ("recall", "precision")))
    if not called:
        return f"It never answers {label}, so it finds none of the {count(actual)} there are."
    if ev.sample.shares is not None or ev.sample.confusion.squares is not None:
        return f"It finds {recall} of the rows of {label}, and {precision} of its alarms are true."
    alarms = "alarm" if called == 1 else "alarms"
    true = f"{found} of its {count(called)} {alarms} {'is' if tally.tp == 1 else 'are'} true"
    rows = f"{count(actual)} {'row' if actual == 1 else 'rows'}"
    return f"It finds {found} of the {rows} of {label} ({recall}), and {true} ({precision})."


def _ranked_and_paid(ev: Evaluation) -> str:
    """How well the scores rank, and what a row costs."""
    parts = [part for part in (_ranked(ev), _paid(ev)) if part]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _ranked(ev: Evaluation) -> str:
    if ev.ranked is None:
        return ""
    if ev.positive is None and len(ev.labels) > 2:
        areas = ev["auc_ovr_macro"]
        if areas.value is None:
            return ""
        return f"the scores tell a class from all others with a mean AUC of {number(areas.value)}"
    auc = ev["auc"]
    if auc.value is None:
        return "" if ev.counted is not None else f"how well the scores rank is undefined: {auc.why}"
    return f"of all pairs of a positive and a negative row the score ranks {ranked_right(ev)}"


def ranked_right(ev: Evaluation) -> str:
    """`94.6 % rightly`, and that equal scores count half where that matters."""
    ties = ev.roc.ties
    what = "pairs in one bin" if ev.roc.in_bins else "equal scores"
    half = f", {what} counting half" if ties.pairs > _SEEN * ties.of else ""
    return f"{percents_together(ev['auc'].value)[0]} rightly{half}"


def _paid(ev: Evaluation) -> str:
    if ev.costs is None or ev.counted is None or ev.sets is not None:
        return ""
    cost = ev["mean_cost"]
    if cost.value is None:
        return ""
    verb, sign = ("costs", 1) if cost.value >= 0 else ("gains", -1)
    return f"a row {verb} {number(sign * cost.value)} on average"


# --- what was counted --------------------------------------------------------------------------


def about_rows(models: Models) -> str:
    """Rows, classes, threshold, what was dropped and what was assumed; what several share is said once."""
    said: dict[str, list[str]] = {}
    for name, ev in models.items():
        for sentence in _sentences(ev):
            said.setdefault(sentence, []).append(name)
    if len(models) == 1:
        return " ".join(said)
    shared = [sentence for sentence, names in said.items() if len(names) == len(models)]
    for name in models:
        own = [sentence for sentence, names in said.items() if name in names and sentence not in shared]
        shared += [f"{name}: {' '.join(own)}"] if own else []
    return " ".join(shared)


def _sentences(ev: Evaluation) -> Iterator[str]:
    yield from opening(ev)
    yield from (f"Note: {note}" for note in ev.notes)
    if ev.ranked is None and ev.sets is None:
        yield "There are no scores, so nothing is said of ranking, thresholds and probabilities."
    if ev.counted is None and ev.why_not:
        yield f"Answers are not counted: {ev.why_not}."
