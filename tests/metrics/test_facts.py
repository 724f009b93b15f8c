"""Facts of every metric, from its definition: its ends, which way is better, its interval, its names."""

import pytest

import tallymark as tm
from scored import classes, refusals
from tallymark.metrics import ALIASES, METRICS, SCORE_METRICS, SET_METRICS, ask, plainly

EVERY = {**METRICS, **SET_METRICS, **SCORE_METRICS}
FACTS = (
    "about", "better", "range", "interval", "share", "swap", "prevalence_free", "towards", "parameters",
    "defaults",
)  # fmt: skip


def test_facts_of_every_metric(snapshot) -> None:
    """What is said of a metric beside its value; laws hold for it, and a change of it is to be seen."""
    snapshot(
        "metrics_facts",
        {
            name: "\n".join(
                [
                    metric.formula,
                    *(f"of K classes: {each}" for each in [metric.classes_formula] if each),
                    *(f"{fact}: {getattr(metric, fact)}" for fact in FACTS if getattr(metric, fact)),
                    *(f"undefined where {zero} = 0: {why}" for zero, why in metric.undefined.items()),
                    f"also called {', '.join(metric.aliases) or 'nothing else'}; from {metric.reference}",
                ]
            )
            for name, metric in EVERY.items()
        },
    )
    for name, metric in EVERY.items():
        assert (metric.name, getattr(tm, name).__name__) == (name, name)
        assert metric.symmetric == (metric.swap == name)
        assert metric.needs_costs == (name in ("total_cost", "mean_cost"))
        assert metric.plain == (name in ("ece", "mce") or not metric.parameters)
        assert metric.reference
        assert metric.meaning.endswith(".")
        # The interval of a proportion of rows is Wilson's.
        assert metric.share is None or metric.interval == "wilson"


def test_other_names() -> None:
    """An alias means one metric and hides none."""
    tails = {
        name: ":" + ",".join(["0.5"] * len(metric.parameters))
        for name, metric in METRICS.items()
        if metric.parameters
    }
    tails |= {"partial_auc": ":0.5", "top_k_accuracy": ":3"}
    for name, metric in EVERY.items():
        for alias in metric.aliases:
            assert ask(alias + tails.get(name, "")).metric is metric, alias
    assert sorted(ALIASES) == sorted(alias for metric in EVERY.values() for alias in metric.aliases)
    assert not set(ALIASES) & set(EVERY)
    usual = {"ppv": "precision", "sensitivity": "recall", "youden": "informedness", "roc_auc": "auc"}
    usual["hand_till"] = "auc_ovo_macro"
    assert {alias: ask(alias).name for alias in usual} == usual


def test_the_worst_and_the_best_there_is() -> None:
    wrong, right = (tm.evaluate([1] * 3 + [0] * 5, side) for side in ([0] * 3 + [1] * 5, [1] * 3 + [0] * 5))
    for name in ("mcc", "informedness", "markedness", "accuracy", "recall", "npv"):
        assert (wrong[name].value, right[name].value) == pytest.approx(EVERY[name].range), name
    wrong, right = (tm.evaluate([1, 1, 0], y_score=score) for score in ([0.1, 0.1, 0.9], [0.9, 0.9, 0.1]))
    for name in ("auc", "gini"):
        assert (wrong[name].value, right[name].value) == EVERY[name].range


# --- asking ----------------------------------------------------------------------------------------------

READ = {
    "  recall ": ("recall", "recall", (), None),
    "f_beta:2.0": ("f_beta:2", "f_beta", (2.0,), None),
    "f_beta_macro:0.50": ("f_beta_macro:0.5", "f_beta", (0.5,), "macro"),
    "f_beta:0": ("f_beta:0", "f_beta", (0.0,), None),
    "f_beta:1e9": ("f_beta:1000000000", "f_beta", (1e9,), None),
    "weighted_accuracy:2, 1, 1, 0": ("weighted_accuracy:2,1,1,0", "weighted_accuracy", (2, 1, 1, 0), None),
    "ppv_micro": ("precision_micro", "precision", (), "micro"),
    "cohen_kappa_weighted": ("kappa_weighted", "kappa", (), "weighted"),
    "bac_micro": ("balanced_accuracy_micro", "balanced_accuracy", (), "micro"),
    "pauc:0.10": ("partial_auc:0.1", "partial_auc", (0.1,), None),
    "partial_auc:1": ("partial_auc:1", "partial_auc", (1.0,), None),
    "ece": ("ece", "ece", (10.0,), None),
    "mce:10": ("mce", "mce", (10.0,), None),
    "expected_calibration_error:15": ("ece:15", "ece", (15.0,), None),
    "ece:1": ("ece:1", "ece", (1.0,), None),
    "top_k_accuracy:3": ("top_k_accuracy:3", "top_k_accuracy", (3.0,), None),
}  # fmt: skip


def test_names_are_read_and_printed_in_one_way() -> None:
    for given, expected in READ.items():
        asked = ask(given)
        assert (asked.name, asked.metric.name, asked.parameters, asked.average) == expected, given
    # Two metrics of one name would share what is kept by name.
    for digits in ("0.1234567", "1234567", "0.30000000000000004"):
        assert ask(ask(f"f_beta:{digits}").name).parameters == (float(digits),)
    for name, metric in METRICS.items():
        tail = ":" + ",".join(["0.25"] * len(metric.parameters)) if metric.parameters else ""
        for average in ("", "_macro", "_micro", "_weighted"):
            if not (average and metric.needs_costs):
                assert ask(f"{name}{average}{tail}").name == f"{name}{average}{tail}"


def test_in_general_a_metric_is_named_without_its_parameters() -> None:
    for name in ("f_beta", "f_beta_macro", "weighted_accuracy", "partial_auc", "f_beta:2"):
        assert tm.explain(name).name == name
    assert tm.explain("tpr").name == "recall"


WRONG_NAMES = [
    *("", "xyz", "f2", "cost_matrix", "_macro", "recall_mean", "precision_macro_micro", "recal", "precison"),
    *("sensitivty", "f1_marco", "kapa", "f_betta:2", "mcc_marco", "kapa_weighted", "log_los", "hamming"),
    *("f1_exampel", "subset_acuracy", "total_cost_macro", "cost_weighted", "mean_cost_micro", "f_beta"),
    *("f_beta:", "f_beta:x", "f_beta:-1", "f_beta:nan", "f_beta:inf", "f_beta:1e10", "f_beta:1,2"),
    *("weighted_accuracy:1,2,3", "recall:3", "auc:0.1", "f1_example:2", "f1_example_macro", "auc_macro"),
    *("brier_micro", "average_precision_weighted", "partial_auc", "partial_auc:0", "partial_auc:-0.1"),
    *("partial_auc:x", "partial_auc:nan", "partial_auc:1.5", "partial_auc:2", "partial_auc:100"),
    *("partial_auc:101", "partial_auc:0.1,0.2", "ece:0", "mce:1.5", "ece:-1", "ece:2,3", "top_k_accuracy"),
    *("top_k_accuracy:0", "top_k_accuracy:x", "auc_ovr_macro:2", "ece:1e10"),
]


def test_wrong_names_are_refused(snapshot) -> None:
    ev = tm.evaluate([1, 0, 1], [1, 0, 0])
    calls = {f"metric {name!r}": lambda name=name: ev[name] for name in WRONG_NAMES}
    others = (0, 1.5, None, True, b"recall", ["a"])
    calls |= {f"no name {name!r}": lambda name=name: tm.explain(name) for name in others}
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"MetricError"}
    assert issubclass(tm.MetricError, KeyError)
    # With parameters left out, the rest is refused all the same.
    for name in ("f_beta:x", "f_beta:1,2", "weighted_accuracy:1", "recall:3", "recal"):
        (said,) = refusals({name: lambda name=name: tm.explain(name)}).values()
        assert said == refused[f"metric {name!r}"] if name in WRONG_NAMES else said.startswith("MetricError")
    snapshot("metrics_errors_of_names", refused)


# One number has one interval under all its names.
LONGER = {
    "f_beta:1": "f1", "f_beta:0": "precision", "weighted_accuracy:1,1,1,1": "accuracy",
    "weighted_accuracy:3,0,3,0": "precision", "weighted_accuracy:0.5,0.5,0,0": "recall",
    "weighted_accuracy:2,1,1,0": "f1", "weighted_accuracy:4,2,2,0": "f1",
    "weighted_accuracy:1,1,1,0": "jaccard", "weighted_accuracy:0,0,1,1": "specificity",
    "weighted_accuracy:0,1,0,1": "npv",
}  # fmt: skip


def test_a_metric_under_a_longer_name() -> None:
    for long, plain in LONGER.items():
        assert plainly(ask(long)).name == plain
        for matrix in ([[8, 3], [2, 20]], [[5, 1, 0], [2, 7, 1], [0, 3, 9]]):
            of_class = tm.Confusion(matrix, range(len(matrix))).evaluate().per_class[1]
            one, other = of_class[long], of_class[plain]
            assert one.value == pytest.approx(other.value)
            if plain != "accuracy" or len(matrix) == 2:
                assert (one.low, one.high, one.method) == (other.low, other.high, other.method), long
    for name in ("weighted_accuracy:0,0,0,0", "weighted_accuracy:3,1,1,0", "f_beta:2", "f_beta_macro:2"):
        assert plainly(ask(name)) == ask(name)
