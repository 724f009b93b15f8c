"""Pictures that commands draw: the words in them, formats, and that `plot` draws what the commands draw."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from command_lines import calls, write

FILES = {
    "grouped.csv": "y,s,g\n1,0.9,a\n0,0.6,a\n1,0.4,b\n0,0.3,b\n",
    "sets.csv": "dataset,tree,bayes,rule\niris,0.9,0.8,0.7\nwine,0.7,0.75,0.6\nzoo,0.8,0.7,0.5\n",
}
NAMES = {
    "ROWS": "scores.csv --actual y --score s --positive yes", "FIVE": "five.csv --actual y --score s",
    "COLUMNS": "columns.csv --actual y", "MODELS": "--model tree=tree --model bayes=bayes --model rule=rule",
    "TWO": "--model tree=tree --model bayes=bayes", "CLASSES": "three.csv --actual y --probabilities a,b,c",
    "LONG": "--model a_model_with_a_name_that_goes_on_and_on_and_on_and_on_and_never_ends=tree",
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    write(FILES)


def words(picture: str) -> str:
    """Every text in it that has a letter: tick labels are left to matplotlib."""
    texts = (" ".join("".join(each.itertext()).split()) for each in ElementTree.fromstring(picture).iter())
    found = dict.fromkeys(text for text in texts if any(map(str.isalpha, text)))
    return "\n".join(text for text in found if not any(part in text for part in ("matplotlib", "*{")))


def drawn(run: Any, *call: str) -> str:
    Path("out.svg").unlink(missing_ok=True)
    result = run("", *call, "-o", "out.svg")
    assert (result.code, result.out, result.err) == (0, "", "wrote out.svg\n"), " ".join(call)
    return Path("out.svg").read_text()


@pytest.mark.thorough
def test_words_in_pictures(run: Any, snapshot: Any) -> None:
    text = """
        plot {roc|one-vs-rest|pr|roc+pr|gains|lift|threshold} $ROWS --title "A title of one's own"
        plot {confusion|rejection|calibration|cost|decision|distribution} $ROWS
        plot confusion answers.csv --normalize {all|predicted}
        plot confusion answers.csv --labels yes,no
        plot confusion --model tree=tree.csv --model rule=rule.csv --threshold 0.5
        plot {roc+pr|lift|confusion} $COLUMNS $MODELS
        {roc|pr|gains} $COLUMNS $MODELS
        plot threshold $COLUMNS $TWO --metric precision --metric accuracy
        plot distribution $COLUMNS {$TWO|--model tree=tree}
        plot threshold $ROWS {--threshold 0.5|--metric accuracy}
        plot roc $ROWS {--threshold 0.5|--no-band}
        plot {roc|roc+pr} $ROWS --confidence 0.8
        plot roc+pr $ROWS --no-band
        {roc|roc --no-band} $ROWS
        {roc|pr|gains|thresholds} $COLUMNS $TWO --threshold 0.5
        gains $ROWS --share 0.5 --recall 1
        gains $ROWS --share 0.5 --recall 1 --lift
        plot {roc|pr|threshold} $COLUMNS $LONG --model b=bayes
        plot roc $COLUMNS --model 'a\\b=tree' --model c=bayes
        roc grouped.csv --actual y --score s --group g
        plot {roc|pr|gains|lift} both.csv --actual y --score s --predicted p
        roc --bin-counts '2 0; 1 2'
        {roc|rejection|calibration} $CLASSES
        {rejection|plot rejection|calibration|plot calibration} $CLASSES --positive a
        decide $FIVE --labels 1,0 --costs '0 10; 1 0'
        decide $FIVE --min recall=0.5
        decide $CLASSES --labels a,b,c --costs '0 1 1; 9 0 1; 1 1 0'
        {calibration|rejection|cost-curve|decision-curve} $COLUMNS $TWO
        {calibration|rejection|decision-curve} only_ones.csv --actual y --score s
        compare $COLUMNS $TWO --picture {differences|roc|agreement}
        compare folds.csv --per fold --picture {folds|differences|posterior}
        compare sets.csv --per dataset --picture {critical-difference|differences|scores}
    """
    found = {call: words(drawn(run, *typed)) for call, typed in calls(text, **NAMES).items()}
    assert {call: text for call, text in found.items() if len(text) < 20} == {}
    snapshot("cli_pictures", found)


def test_plot_draws_what_the_commands_draw(run: Any) -> None:
    commands = {"threshold": "thresholds", "cost": "cost-curve", "decision": "decision-curve"}
    commands |= {"one-vs-rest": "roc"} | {
        kind: kind for kind in ("roc", "pr", "gains", "rejection", "calibration")
    }
    for kind, command in commands.items():
        asked = "$CLASSES" if kind in ("one-vs-rest", "rejection") else "$FIVE"
        lines = calls(f"plot {kind} {asked}\n{command} {asked}", **NAMES)
        one, two = (drawn(run, *typed) for typed in lines.values())
        assert one == two, kind


def test_formats_of_pictures(run: Any) -> None:
    begins = {".png": b"\x89PNG", ".PNG": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}
    for place, (suffix, start) in enumerate(begins.items()):
        for command in ("plot roc", "decide --best f1"):
            name = f"{place}{command[:4]}{suffix}"
            result = run(f"{command} {NAMES['FIVE']} -o {name} --quiet")
            assert (result.code, result.out, result.err) == (0, "", ""), name
            assert Path(name).read_bytes().startswith(start), name
    for name in ("one.png", "two.png"):
        assert run(f"compare {NAMES['COLUMNS']} {NAMES['TWO']} -o {name}").code == 0
    assert Path("one.png").read_bytes() == Path("two.png").read_bytes(), "the same picture is the same file"
    # Marks of both thresholds look different.
    picture = drawn(run, *f"plot threshold {NAMES['ROWS']} --threshold 0.5".split())
    assert "fill: #ffffff; stroke: #0072b2" in picture
