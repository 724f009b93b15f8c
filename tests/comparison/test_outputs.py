"""A comparison as text, JSON, table, page, file and pickle, for every design."""

import json
import pickle

import numpy as np
import pytest

import tallymark as tm
from collected import each
from comparing import DESIGNS, S, T, U, Y, in_one_line, kinds, loaded, made
from parsed_pages import Page

SUFFIXES = (".txt", ".md", ".tex", ".json", ".csv", ".svg", ".html")


def test_texts(snapshot):
    snapshot("text_comparisons", {design: str(made(design)) for design in DESIGNS})


@each("design", DESIGNS)
def test_the_json_document(design):
    found = made(design)
    form = loaded(found.to_json())
    assert form["schema"] == "tallymark/comparison/1"
    assert (form["design"], form["verdict"]) == (found.design, found.verdict)
    assert [model["name"] for model in form["models"]] == [model.name for model in found.models]
    assert form == loaded(json.dumps(found.to_dict()))
    for one, difference in zip(form["differences"], found.differences, strict=True):
        assert {"metric", "a", "b", "value", "p_value", "test", "paired"} <= set(one)
        told = difference.metric, difference.a, difference.b, difference.value, difference.p_value
        assert tuple(one[name] for name in ("metric", "a", "b", "value", "p_value")) == told
        if one["value"] is None:
            assert one["why"]
        else:
            assert {"low", "high", "level", "better", "alternative"} <= set(one)
            assert (one["low"], one["high"]) == (difference.low, difference.high)
            assert one["p_value"] is not None or one["tested"]["why"]
            assert one["test"] is not None or one["p_value"] is None


def test_keys_of_the_designs():
    keys = {design: set(loaded(made(design).to_json())) for design in DESIGNS}
    common = set.intersection(*keys.values())
    assert common >= {"schema", "design", "models", "differences", "verdict", "winner", "metric", "notes"}
    own = {design: sorted(found - common) for design, found in keys.items()}
    assert own == {
        **{design: ["agreement", "rows"] for design in ("predictions", "three models", "seven models")},
        **{design: ["agreement", "rows"] for design in ("groups", "weights", "undefined")},
        "scores": ["agreement", "margins", "rows"],
        "scores only": ["rows"],
        **{design: ["methods"] for design in ("other rows", "counts", "figures", "three figures")},
        "lost pairs": [],
        "folds": ["folds", "rope"],
        "two of many data sets": ["data_sets", "posterior"],
        "many data sets": ["data_sets", "posterior", "ranks"],
        "folds of data sets": ["data_sets", "experimenter", "posterior"],
    }


@each("design", DESIGNS)
def test_the_table(design):
    found = made(design)
    expected = [np.nan if one.value is None else one.value for one in found.differences]
    for library in ("polars", "pandas", "pyarrow"):
        table = found.table(library)
        assert type(table).__module__.split(".")[0] == library
        columns = {
            name: list(table[name].to_numpy()) for name in ("metric", "difference", "p_value", "value_a")
        }
        assert columns["metric"] == [one.metric for one in found.differences]
        np.testing.assert_array_equal(np.array(columns["difference"], float), expected)
        own = {model.name: model.values for model in found.models}
        values = [own[one.a][one.metric].value for one in found.differences]
        np.testing.assert_array_equal(np.array(columns["value_a"], float), np.array(values, float))


@each("design", ("scores", "folds of data sets", "many data sets", "folds", "three figures"))
def test_files(design, tmp_path):
    for suffix in SUFFIXES:
        path = tmp_path / f"{design}{suffix}"
        made(design).save(path)
        assert path.stat().st_size > 100
    if design == "folds":
        with pytest.raises(tm.FileError):
            made(design).save(path)
        made(design).save(path, overwrite=True)
    page = Page((tmp_path / f"{design}.html").read_text())
    found = made(design)
    text = in_one_line(page.text())
    verdict = f"{found.verdict[0].upper()}{in_one_line(found.verdict[1:])}"
    assert text.index(verdict) < text.index("Differences with their intervals")
    assert len(page.all("svg")) >= len(kinds(found))


@each("design", DESIGNS)
def test_a_notebook_shows_the_text_and_a_page(design):
    shown = made(design)._repr_mimebundle_()
    assert list(shown) == ["text/plain", "text/markdown", "text/html"]
    assert shown["text/plain"] == str(made(design))


@each("design", DESIGNS)
def test_a_pickle_says_and_draws_the_same(design):
    found = made(design)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_json() == found.to_json()
    assert str(again) == str(found)
    assert kinds(again) == kinds(found)
    # The rows stay behind, and with them the pages of the models.
    assert again.evaluations == {}
    one, two = ([section.title for section in each.report().sections] for each in (again, found))
    assert one[:2] == ["", "Differences"]
    assert ("Comparison" in two) == bool(found.evaluations)


def test_what_a_pickle_no_longer_knows_it_says():
    asked = pickle.loads(pickle.dumps(made("predictions")))["accuracy"].estimate.interval(0.8)
    assert asked.low is None
    assert asked.note


def test_a_difference_by_its_name():
    assert made("scores")["auc"].metric == "auc"
    for design, name in (("scores", "gini"), ("three models", "brier")):
        with pytest.raises(tm.OptionError):
            made(design)[name]


def test_pages_of_several_models_fold_the_other_metrics(tmp_path):
    tm.compare({"a": S, "b": T, "c": U}, Y, metrics=["accuracy", "recall"]).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    first, _, folded = page.partition("<summary>Differences in other numbers</summary>")
    tables = first[first.rindex("<table>") :], folded[: folded.index("</table>")]
    counts = [[part.count(f"<th scope=row>{name}<") for name in ("accuracy", "recall")] for part in tables]
    assert counts == [[3, 0], [0, 3]]  # the pairs ab, ac and bc


def test_the_metric_of_the_verdict_is_among_the_first_numbers_of_a_page(tmp_path):
    y = np.repeat([0, 1], 50)
    models = {"a": np.where(np.arange(100) < 20, 1, y), "b": np.where(np.arange(100) >= 94, 0, y)}
    found = tm.compare(models, y, costs={0: {1: 1}, 1: {0: 10}}, metric="total_cost")
    # 20 false alarms, and 6 missed at 10 each.
    assert [model.values["total_cost"].value for model in found.models] == [20, 60]
    found.save(tmp_path / "page.html")
    first = in_one_line(Page((tmp_path / "page.html").read_text()).text())
    assert "'a' less 'b' is -40 [" in first
    assert "total cost 20 [" in first  # in the table; the verdict says 20.000
