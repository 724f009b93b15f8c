"""The live part of a page: every control changes what it should, and the numbers are those of Python."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opened import DESKTOP, PHONE, Opened, opened
from playwright.sync_api import Browser, Page
from reports import HOSTILE

import tallymark as tm
from tallymark import data
from tallymark.drawing import count, number, percent

pytestmark = pytest.mark.xdist_group("browser")

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "live" / "vectors.json").read_text("utf-8"))
COSTS = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
MODELS = {"tree": "tree_score", "naive Bayes": "bayes_score"}
RATES = ("recall", "precision", "specificity", "npv", "fpr", "fnr", "accuracy", "f1", "mcc", "informedness")
WILSON = ("recall", "precision", "specificity", "npv", "fpr", "fnr", "accuracy", "f1")
MOST_SCRIPT = 22_000


@cache
def evaluated(model: str, threshold: float = 0.5) -> tm.Evaluation:
    given: dict[str, Any] = {"actual": "actual", "score": MODELS[model], "pos_label": "malignant"}
    return tm.evaluate(data.path("breast_cancer.csv"), **given, threshold=threshold, costs=COSTS)


def ready(page: Page) -> Page:
    """The data are unpacked after the page has loaded."""
    page.locator("#live-rates").wait_for()
    return page


@pytest.fixture(scope="module")
def shared(browser: Browser, demo: Path) -> Iterator[Opened]:
    with opened(browser, demo) as result:
        ready(result.page)
        yield result


def go_to(page: Page, address: str) -> None:
    """Change the part of the address behind #, and wait until the page has heard of it."""
    page.evaluate(
        """address => location.hash === address || new Promise(done => {
            addEventListener("hashchange", () => setTimeout(done), { once: true });
            location.hash = address;
        })""",
        address,
    )


@pytest.fixture
def page(shared: Opened) -> Page:
    """The page of two models as it came."""
    go_to(shared.page, "#content")
    go_to(shared.page, "#try&")
    assert shown(shared.page, "threshold") == "0.5"
    return shared.page


# --- what is to be seen --------------------------------------------------------------------------


def shown(page: Page, name: str) -> str:
    return page.locator(f"#live-{name}").input_value()


def filled(page: Page, name: str) -> str:
    return page.locator(f"[data-fill={name}]").last.text_content() or ""


def typed(page: Page, selector: str, text: str) -> None:
    field = page.locator(selector)
    field.fill(text)
    field.press("Enter")
    field.evaluate("field => field.dispatchEvent(new Event('change', {bubbles: true}))")


def point_at_roc(page: Page) -> None:
    """The pointer is put on the point of the first model on the page's ROC curve."""
    point = page.locator("svg[data-live=roc]:not([id]) .live-point").first
    point.scroll_into_view_if_needed()
    box: Any = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def matrix(page: Page) -> list[str]:
    return page.locator("#live-matrix td:not(:first-child)").all_inner_texts()


def rates(page: Page) -> dict[str, list[str]]:
    """The cells of every row of the table of rates, a value and its interval each."""
    found: dict[str, list[str]] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#live-rates tbody tr")].map(row =>
            [row.dataset.name, [...row.cells].slice(1).map(cell => cell.innerText.trim())]))"""
    )
    return found


def four(ev: tm.Evaluation) -> list[int]:
    """Rows by actual and called class, the positive one first."""
    assert ev.confusion is not None
    counts = ev.confusion.binary("malignant")
    return [int(getattr(counts, cell)) for cell in ("tp", "fn", "fp", "tn")]


def as_python(page: Page, wilson: tuple[str, ...] = WILSON) -> None:
    """All that is shown is what Python says at the thresholds that are shown."""
    table = rates(page)
    chosen = page.locator("[name=live-model]").input_value()
    for place, (model, threshold) in enumerate(zip(MODELS, table["threshold"], strict=True)):
        ev = evaluated(model, float(threshold))
        for name in RATES:
            estimate = ev[name]
            expected = number(estimate.value)
            if name in wilson:
                expected += f" [{number(estimate.low)}, {number(estimate.high)}]"
            assert table[name][place] == expected, (model, threshold, name)
        assert table["mean_cost"][place] == number(ev["mean_cost"].value)
        if model == chosen:
            cells = four(ev)
            rows = zip(cells, [sum(cells[:2])] * 2 + [sum(cells[2:])] * 2, strict=True)
            assert matrix(page) == [f"{count(cell)} ({percent(cell / row)})" for cell, row in rows]
            assert filled(page, "total") == count(ev["total_cost"].value)


# --- arithmetic ----------------------------------------------------------------------------------


def scaled(case: dict[str, Any]) -> tuple[dict[str, float], dict[str, float] | None]:
    """Counts to expect at the prior, and their squares."""
    counts, squares, prior = case["counts"], case["squares"], case["prior"]
    positives, negatives = counts["tp"] + counts["fn"], counts["fp"] + counts["tn"]
    if prior is None:
        return counts, squares
    rows = positives + negatives
    up, down = prior * rows / positives, (1 - prior) * rows / negatives
    factors = {"tp": up, "fn": up, "fp": down, "tn": down}
    return (
        {cell: counts[cell] * factor for cell, factor in factors.items()},
        {cell: (squares or counts)[cell] * factor**2 for cell, factor in factors.items()},
    )


CALLS = {
    "cheapest": "tallymark.cheapest(each.curve, each.costs, each.prior)",
    "region": "tallymark.region(each.curve, each.costs, each.reject_cost, each.prior)",
    "best": "tallymark.best(each.curve, each.metric)",
    "reaching": "tallymark.reaching(each.curve, each.metric, each.value)",
    "text": "tallymark.text(each.value, each.digits)",
}


def test_functions_give_the_vectors(shared: Opened) -> None:
    ask = shared.page.evaluate
    for case in VECTORS["rates"]:
        given = [*scaled(case), VECTORS["z"], case["prior"] is not None]
        found = ask("given => tallymark.rates(...given)", given)
        for name, expected in case["expected"].items():
            assert found[name] == pytest.approx(expected, abs=1e-12), (case["name"], name)
    for kind, call in CALLS.items():
        found = ask(f"all => all.map(each => {call})", VECTORS[kind])
        assert found == [case["expected"] for case in VECTORS[kind]], kind
    found = ask("all => all.map(each => tallymark.decode(each.curve))", VECTORS["decode"])
    for curve, case in zip(found, VECTORS["decode"], strict=True):
        assert (curve["tp"], curve["fp"]) == (case["tp"], case["fp"]), case["name"]
        assert curve["thresholds"][1:] == case["thresholds"], case["name"]


# --- where to cut --------------------------------------------------------------------------------


def test_it_begins_as_the_page_came(page: Page) -> None:
    as_python(page)
    assert page.locator("#live-moved").evaluate("node => getComputedStyle(node).visibility") == "hidden"
    assert filled(page, "came") == "0"


def test_a_threshold_is_typed(page: Page) -> None:
    for model in MODELS:
        page.locator("[name=live-model]").select_option(model)
        for threshold in ("0.3", "0.55", "0.9", "0.05"):
            typed(page, "#live-threshold", threshold)
            assert float(shown(page, "threshold")) == pytest.approx(float(threshold), abs=0.1)
            as_python(page)
    assert page.locator("#live-moved").is_visible()


def test_other_readings_are_typed_and_shared_by_the_models(page: Page) -> None:
    page.locator("[name=live-by][value=share]").check()
    typed(page, "#live-share", "20%")
    called = [
        float(evaluated(model, float(threshold))["predicted_positive_rate"].value or 0)
        for model, threshold in zip(MODELS, rates(page)["threshold"], strict=True)
    ]
    assert called == pytest.approx([0.2, 0.2], abs=0.06)
    assert shown(page, "share") == number(called[0])
    page.locator("[name=live-by][value=recall]").check()
    typed(page, "#live-recall", "0.95")
    assert [float(cell.split()[0]) for cell in rates(page)["recall"]] == pytest.approx([0.95] * 2, abs=0.02)
    as_python(page)


def test_arrows_go_one_threshold_on(page: Page) -> None:
    page.locator("#live-at").focus()
    seen = [float(shown(page, "threshold"))]
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
        seen.append(float(shown(page, "threshold")))
    assert seen[0] > seen[1] > seen[2]
    assert seen[3:] == [seen[1], seen[0], seen[1]]
    page.locator("[name=live-by][value=share]").check()
    page.locator("#live-at").focus()
    before = float(shown(page, "share"))
    page.keyboard.press("ArrowRight")
    assert float(shown(page, "share")) > before
    page.keyboard.press("Home")
    assert (shown(page, "threshold"), shown(page, "share")) == ("none", "0.000")
    page.keyboard.press("End")
    assert shown(page, "share") == "1.000"


def test_buttons(page: Page) -> None:
    with open(data.path("breast_cancer.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sick = np.array([row["actual"] == "malignant" for row in rows])
    for model, column in MODELS.items():
        score = np.array([float(row[column]) for row in rows])
        thresholds = np.unique(score)
        called = score >= thresholds[:, None]
        found = (called & sick).sum(axis=1)
        page.locator("[name=live-model]").select_option(model)
        page.locator("#live-cheapest").click()
        paid = 10 * (sick.sum() - found) + called.sum(axis=1) - found
        assert filled(page, "total") == count(int(paid.min()))
        as_python(page)
        page.locator("#live-best").click()
        f1 = 2 * found / (sick.sum() + called.sum(axis=1))
        assert rates(page)["f1"][list(MODELS).index(model)].split()[0] == number(float(f1.max()))
        typed(page, "#live-least", "0.97")
        page.locator("#live-reach").click()
        enough = found[found >= 0.97 * sick.sum()].min()
        assert matrix(page)[0].split()[0] == count(int(enough))
    page.locator("#live-reset").click()
    assert shown(page, "threshold") == "0.5"


def test_drag_on_the_roc_curve(page: Page) -> None:
    chart = page.locator("#live-roc")
    chart.scroll_into_view_if_needed()
    box: Any = chart.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.1)
    page.mouse.down()
    first = shown(page, "threshold")
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.1, steps=3)
    page.mouse.up()
    assert 0 < float(shown(page, "threshold")) < float(first) < 0.5
    as_python(page)


def test_a_curve_tells_its_counts_under_the_pointer(page: Page) -> None:
    point_at_roc(page)
    box = page.locator("#live-box")
    threshold, *counts = re.findall(r"\d[\d.]*", box.inner_text())
    assert list(map(int, counts)) == four(evaluated("tree", float(threshold.rstrip("."))))
    page.mouse.move(5, 5)
    assert not box.is_visible()


# --- costs, shares and rows left undecided -------------------------------------------------------


def test_costs(page: Page) -> None:
    fields = page.locator("[name^=live-cost]")
    fields.nth(0).fill("-2")
    typed(page, "[name^=live-cost] >> nth=1", "25")
    (tp, fn, fp, tn), paid = four(evaluated("tree")), -2 * 188 + 25 * 24 + 12
    assert (tp, fn, fp, tn) == (188, 24, 12, 345)
    assert filled(page, "total") == count(paid)
    assert filled(page, "all") == count(-2 * 212 + 357 - paid)
    assert filled(page, "none") == count(25 * 212 - paid)
    at_random = (-2 * 212 * 200 + 25 * 212 * 369 + 357 * 200) / 569
    assert filled(page, "random") == count(at_random - paid)
    assert filled(page, "aim") == number(paid / 569)
    for place in range(4):
        fields.nth(place).fill("")
    typed(page, "[name^=live-cost] >> nth=0", "")
    assert filled(page, "goal") == "F1"
    assert not page.locator("#live-cheapest").is_visible()


def test_words_that_are_no_numbers_are_not_kept(page: Page, shared: Opened) -> None:
    page.locator("#live-rest details").evaluate("node => { node.open = true; }")
    for name, text, kept in (
        ("cost-fn", "0,5", "0.5"),
        ("cost-fn", "1e308", ""),
        ("cost-fp", "twenty", ""),
        ("prior", "1e-300", ""),
        ("prior", "-1", ""),
        ("prior", "5 %", "0.05"),
    ):
        typed(page, f"[name=live-{name}]", text)
        assert page.locator(f"[name=live-{name}]").input_value() == kept
    assert shared.said == []


def test_rows_left_undecided(page: Page) -> None:
    page.locator("[name=live-model]").select_option("naive Bayes")
    page.locator("#live-rest details").evaluate("node => { node.open = true; }")
    typed(page, "[name=live-price]", "0.5")
    page.locator("#live-cheapest").click()
    decision = evaluated("naive Bayes").decide(costs=COSTS, reject_cost=0.5)
    assert decision.confusion is not None
    counts = decision.confusion.binary("malignant")
    assert filled(page, "total") == count(decision.cost)
    assert filled(page, "undecided") == count(569 - counts.n)
    cells = [counts.tp, counts.fn, counts.fp, counts.tn]
    assert [cell.split()[0] for cell in matrix(page)] == list(map(count, cells))
    assert [shown(page, "lower"), shown(page, "threshold")] == ["0.1", "0.32"]
    page.locator("#live-low").focus()
    page.keyboard.press("ArrowLeft")
    assert int(filled(page, "undecided")) > 569 - counts.n


def test_another_share_of_positives(page: Page) -> None:
    page.locator("#live-rest details").evaluate("node => { node.open = true; }")
    typed(page, "[name=live-prior]", "0.01")
    table = rates(page)
    for place, model in enumerate(MODELS):
        ev = evaluated(model).at_prevalence(0.01)
        for name in RATES:
            value, *interval = table[name][place].split(" ", 1)
            assert value == number(ev[name].value), (model, name)
            within = name in ("recall", "specificity", "fpr", "fnr")
            ends = f"[{number(ev[name].low)}, {number(ev[name].high)}]"
            assert interval == ([ends] if within else []), (model, name)
        assert table["mean_cost"][place] == number(ev["mean_cost"].value)


def test_percent_of_rows_and_columns(page: Page) -> None:
    cells = four(evaluated("tree"))
    for show, wholes in (("row", (212, 212, 357, 357)), ("column", (200, 369, 200, 369))):
        page.locator("[name=live-show]").select_option(show)
        pairs = zip(cells, wholes, strict=True)
        assert matrix(page) == [f"{percent(cell / whole)} ({count(cell)})" for cell, whole in pairs]


# --- pictures and the address --------------------------------------------------------------------


def test_points_move_on_every_curve(page: Page) -> None:
    typed(page, "#live-threshold", "0.3")
    places = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("svg[data-live]:not([id])")].map(svg => [
            svg.dataset.live,
            [...svg.querySelectorAll(".live-point")].map(mark => {
                const [x0, x1, left, right, y0, y1, bottom, top] = svg.dataset.axes.split(" ").map(Number);
                const { e, f } = mark.transform.baseVal.consolidate().matrix;
                const across = (e - left) / (right - left), up = (f - bottom) / (top - bottom);
                return [x0 + across * (x1 - x0), y0 + up * (y1 - y0)];
            })]))"""
    )
    thresholds = [float(each) for each in rates(page)["threshold"]]
    for place, (model, threshold) in enumerate(zip(MODELS, thresholds, strict=True)):
        ev = evaluated(model, threshold)
        names = ("fpr", "recall", "precision", "f1", "mean_cost", "predicted_positive_rate", "accuracy")
        fpr, recall, precision, f1, cost, share, right = (float(ev[name].value or 0) for name in names)
        positives = 212 / 569
        weight = 10 * positives / (10 * positives + 1 - positives)
        tp, _, fp, _ = four(ev)
        expected = {
            "roc": (fpr, recall), "precision-recall": (recall, precision), "gains": (share, recall),
            "lift": (share, precision / positives), "thresholds": (threshold, f1), "cost": (threshold, cost),
            "cost-curve": (weight, (1 - recall) * weight + fpr * (1 - weight)),
            "decision-curve": (threshold, (tp - fp * threshold / (1 - threshold)) / 569),
            "rejection": (0, right),
        }  # fmt: skip
        for key, point in expected.items():
            assert places[key][place] == pytest.approx(point, abs=1e-6), (model, key)


def test_its_link_leaves_it_as_it_is(page: Page) -> None:
    typed(page, "#live-threshold", "0.3")
    assert page.locator("nav a[href='#try-a-threshold']").count() == 1
    go_to(page, "#try-a-threshold")
    assert shown(page, "threshold") == "0.3"


def test_the_address_holds_the_state(page: Page, browser: Browser) -> None:
    page.locator("[name=live-model]").select_option("naive Bayes")
    page.locator("[name=live-by][value=share]").check()
    typed(page, "[name^=live-cost] >> nth=2", "3")
    typed(page, "#live-threshold", "0.31")
    page.wait_for_function("() => location.hash.includes('cost-fp=3')")
    address = page.url
    assert re.search(r"#try&model=naive\+Bayes&at=0\.3\d*&by=share&cost-fp=3$", address), address
    with opened(browser, address) as other:
        ready(other.page)
        assert rates(other.page) == rates(page)
        assert matrix(other.page) == matrix(page)
        assert other.page.locator("#live-at").bounding_box()
        go_to(other.page, "#try&model=x&at=y&cost-fp=,;&by=1&prior=7&low=&class=%00")
        assert shown(other.page, "threshold") == "0.5"
        # What is about to be saved does not replace an address that was gone to since.
        other.page.clock.install()
        typed(other.page, "#live-threshold", "0.3")
        other.page.evaluate(
            "new Promise(done => { addEventListener('hashchange', done); location.hash = '#ranking'; })"
        )
        other.page.clock.run_for(10_000)
        assert (other.page.url.rpartition("#")[2], other.said) == ("ranking", [])


# --- everybody's page ----------------------------------------------------------------------------


def test_the_slider_stays_in_sight(page: Page) -> None:
    page.locator("footer").scroll_into_view_if_needed()
    box: Any = page.locator("#live-at").bounding_box()
    assert 0 <= box["y"] < 60


def test_without_scripts_it_is_not_there(browser: Browser, demo: Path) -> None:
    with opened(browser, demo, java_script_enabled=False) as plain:
        assert not plain.page.locator("#live-at").is_visible()
        assert not plain.page.locator("a[href='#try-a-threshold']").is_visible()


def test_everybody_can_use_it(page: Page, shared: Opened, demo: Path) -> None:
    go_to(page, "#try&at=0.3&low=0.1&price=1&prior=0.2")
    page.locator("#live-rest details").evaluate("node => { node.open = true; }")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert shared.violations() == [], scheme
    page.set_viewport_size(PHONE)
    assert shared.wider_than_screen() == []
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    assert shared.said == []
    assert shared.asked == [demo.as_uri()]


def test_classes_are_tried_one_by_one(browser: Browser, report: Callable[[str], Path]) -> None:
    with opened(browser, report("ten-classes")) as result:
        page = ready(result.page)
        assert shown(page, "threshold") == "-"
        before = matrix(page)
        page.locator("[name=live-class]").select_option("8")
        after = matrix(page)
        assert before != after
        typed(page, "#live-threshold", "0.2")
        assert matrix(page) != after
        page.locator("#live-reset").click()
        assert matrix(page) == after
        page.locator("#live-at").focus()
        page.keyboard.press("ArrowLeft")
        assert 0 < float(shown(page, "threshold")) < 1
        assert result.said == []


def test_answers_alone_have_costs(browser: Browser, report: Callable[[str], Path]) -> None:
    with opened(browser, report("bare-matrix")) as result:
        page = ready(result.page)
        assert not page.locator("#live-at").is_visible()
        assert filled(page, "total") == count(-150 + 100 * 40 + 60)
        typed(page, "[name^=live-cost] >> nth=0", "0")
        assert filled(page, "total") == count(100 * 40 + 60)
        assert result.violations() == []
        assert result.said == []


def test_weights_and_groups(browser: Browser, tmp_path: Path) -> None:
    actual, score, weight = [0, 1] * 20, [place / 40 for place in range(40)], [0.5, 1.25, 2.0, 1.0] * 10
    given: dict[str, Any] = {"y_score": score, "sample_weight": weight, "labels": [0, 1], "pos_label": 1}
    ev = tm.evaluate(actual, threshold=0.4, **given)
    ev.save(tmp_path / "weights.html")
    with opened(browser, tmp_path / "weights.html") as result:
        table = rates(ready(result.page))
        for name in WILSON:
            expected = f"{number(ev[name].value)} [{number(ev[name].low)}, {number(ev[name].high)}]"
            assert table[name] == [expected], name
    tm.evaluate(actual, y_score=score, labels=[0, 1], groups=[place // 4 for place in range(40)]).save(
        tmp_path / "groups.html"
    )
    with opened(browser, tmp_path / "groups.html") as result:
        assert rates(ready(result.page))["recall"][0] == "0.500"


def test_hostile_names_are_words(browser: Browser, tmp_path: Path) -> None:
    actual, path = [HOSTILE[0], HOSTILE[10]] * 20, tmp_path / "report.html"
    score = [(7 * place % 40) / 40 for place in range(40)]
    ev = tm.evaluate(actual, y_score=score, pos_label=HOSTILE[0])
    tm.compare({HOSTILE[1]: ev, HOSTILE[9]: ev}).save(path)
    with opened(browser, path) as result:
        page = ready(result.page)
        typed(page, "#live-threshold", "0.25")
        point_at_roc(page)
        assert "onerror" in page.locator("#live-box").inner_text()
        assert page.locator("#live-matrix th").first.inner_text() == HOSTILE[0]
        assert page.locator("img").count() == 0
        assert (result.said, result.asked) == ([], [path.as_uri()])


def test_scripts_are_small(demo: Path) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", demo.read_text(encoding="utf-8"), re.DOTALL)
    assert sum(len(script.encode()) for script in scripts) <= MOST_SCRIPT
