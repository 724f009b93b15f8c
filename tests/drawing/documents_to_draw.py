"""Documents that tests of several renderers draw."""

import numpy as np

from tallymark import drawing as td

ENDS = np.array([0.0, 1.0])
CURVE = td.Figure(
    (td.Panel(td.Axis("share"), td.Axis("recall"), (td.Line(ENDS, ENDS, "gains"),)),), "", "By hand."
)
POINTS = td.Table((td.Column("x"), td.Column("y")), (("0", "0"), ("1", "1")), title="points")


def words(title: str) -> td.Column:
    return td.Column(title, "left")


def of(*blocks: td.Block, title: str = "", heading: str = "") -> td.Document:
    return td.Document(title, (td.Section(heading, blocks),))


def report(title: str = "Evaluation of predictions.csv") -> td.Document:
    """What every renderer draws: words, names and values, a table with a rule, lines, findings."""
    summary = (
        td.Table((words(""), td.Column("")), (("rows", "500"), ("positive class", "yes"))),
        td.Paragraph("500 rows & 'yes' is 38 % of them; called positive when score >= 0.5."),
    )
    rows = (
        ("yes", "190", "0.789", "[0.726, 0.841]"),
        ("not_yet", "300", "-0.5", "[-0.759, 0.846]"),
        ("[no]", "10", "0.806", "-"),
        ("*total", "500", "0.800", "-"),
    )
    columns = (words("class"), td.Column("n"), td.Column("recall"), td.Column("95% interval"))
    by_class = td.Table(columns, rows, title="One class against the rest", rule_before=(3,))
    worked = td.Lines(("recall = tp / (tp + fn)", "       = 150 / 190", "", "[x]"))
    told = (
        td.Finding("TM004", "Calling every row no would reach an accuracy of 0.620."),
        td.Finding("TM011", "Labels look alike."),
    )
    sections = {
        "Summary": summary,
        "By class": (by_class,),
        "Recall, worked": (worked,),
        "Findings": (td.Findings(told),),
    }
    return td.Document(title, tuple(td.Section(*each) for each in sections.items()))


def page() -> td.Document:
    """What only pages can draw: headlines, pictures, parts that are folded or stand beside each other."""
    headline = td.Headline("recall", "0.887", "[0.837, 0.923]", "188 of 212")
    folded = td.Folded("How", (td.Paragraph("By hand."), td.Folded("Deeper", (td.Paragraph("Twice."),))))
    beside = td.Beside(((td.Headlines((headline,)),), (td.Paragraph("right part"),)))
    return td.Document(
        "A page",
        (td.Section("First", (beside, td.Picture("A curve", CURVE, "It rises.", (POINTS,)), folded)),),
    )
