"""A decision as JSON."""

from __future__ import annotations

from typing import Any

from tallymark.curves.costs.prices import costs_dict
from tallymark.curves.shared import finite
from tallymark.decisions.cross_fitting import CrossFitted
from tallymark.decisions.decision import AS_IS, Decision
from tallymark.decisions.reject import Region
from tallymark.decisions.saving_words import named
from tallymark.tallies import Confusion

SCHEMA = "tallymark/decision/1"


def form_of(decision: Decision) -> dict[str, Any]:
    """Numbers that are not finite are null."""
    best, region = decision.choice.best, decision.choice.region
    counts = decision.answered.counts
    return {
        "schema": SCHEMA,
        "labels": [str(label) for label in decision.labels],
        "threshold": finite(best.threshold),
        "low": finite(best.low),
        "high": finite(best.high),
        "others": best.others,
        "other_intervals": [[finite(low), finite(high)] for low, high in decision.choice.others],
        "region": None if region is None else _region(region),
        "aim": _aim(decision),
        "rows": decision.scores.rows,
        "prevalence": decision.ranking.share,
        "chosen_on": None if decision.chosen_on is None else {"rows": decision.chosen_on.scores.rows},
        "cost": decision.cost,
        "mean_cost": decision.mean_cost,
        "value": decision.value,
        **_gap(decision),
        "rejected": finite(decision.rejected),
        "confusion": table_of(decision.confusion),
        "counts": {"tp": counts.tp, "fn": counts.fn, "fp": counts.fp, "tn": counts.tn},
        **_savings(decision),
        "metrics": {name: each.to_dict() for name, each in decision.metrics.items()},
        **_closed_forms(decision),
        "optimistic": decision.optimistic,
        "cross_fitted": _cross_fitted(decision.cross_fitted),
        "formula": list(decision.formula),
    }


def table_of(confusion: Confusion) -> dict[str, Any]:
    """The matrix; labels are text in JSON."""
    return confusion.table() | {"labels": [str(label) for label in confusion.labels]}


def _gap(decision: Decision) -> dict[str, Any]:
    """How much better it could be, where only bins of the scores were counted."""
    if decision.chosen_among.exact:
        return {}
    note = decision.gap_note
    return {"exact": False, "gap": decision.gap} | ({} if note is None else {"gap_note": note})


def _region(region: Region) -> dict[str, Any]:
    form: dict[str, Any] = {"lower": finite(region.lower), "upper": finite(region.upper)}
    for name, ends in (("lower", region.alternatives.lower), ("upper", region.alternatives.upper)):
        form[f"{name}_interval"] = [finite(end) for end in ends]
    return form | {"cost_without": region.cost_without}


def _aim(decision: Decision) -> dict[str, Any]:
    aim = decision.aim
    return {
        "costs": None if aim.costs is None else costs_dict(aim.costs),
        "reject_cost": aim.reject_cost,
        "constraints": [each.to_dict() for each in aim.constraints],
        "best": aim.objective if aim.costs is None else None,
        **({"given": True} if decision.given else {}),
    }


def _savings(decision: Decision) -> dict[str, Any]:
    against = decision.saving_against if decision.savings else None
    ways: dict[str, dict[str, Any]] = {
        name: {"cost": decision.cost_of(name), "saving": saving.to_dict()}
        for name, saving in decision.savings.items()
    }
    if AS_IS in ways:
        ways[AS_IS]["words"] = named(decision, AS_IS)
    return {"saving": decision.saving, "saving_against": against, "against": ways}


def _closed_forms(decision: Decision) -> dict[str, Any]:
    form, chow = decision.closed_form, decision.chow
    on_these = finite(decision.closed_threshold)
    return {
        "closed_form": None if form is None else form.to_dict() | {"on_these_scores": on_these},
        "chow": [finite(end) for end in chow] if isinstance(chow, tuple) else chow,
    }


def _cross_fitted(found: CrossFitted | str | None) -> dict[str, Any] | None:
    if isinstance(found, CrossFitted):
        return found.to_dict()
    return None if found is None else {"why": found}
