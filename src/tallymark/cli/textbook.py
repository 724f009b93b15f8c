"""`tallymark textbook`: the lectures' worked examples, run."""

from __future__ import annotations

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import output_options
from tallymark.cli.output import DRAWN, JSON, TEXT, Output, as_json

EXAMPLES = examples(
    "tallymark textbook",
    "tallymark textbook cost-500",
    "tallymark textbook roc-10-thresholds wilson-accuracy-0.8 -o two.html",
    "tallymark textbook misprints",
    "tallymark textbook mcnemar --json",
)


@click.command("textbook", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options
def command(*, names: tuple[str, ...], output: Output) -> None:
    """The worked examples of five lecture documents on evaluating classifiers. Without a NAME they are
    listed. With names, with a chapter's number (1 to 4), with `misprints` or with `all`, they are worked out:
    the problem, what is given, what the document prints beside what tallymark finds, and the lines to type to
    get the same. Those that fit models need the extra validate, and take a second or two."""
    output.check((JSON, *DRAWN))
    from tallymark import textbook
    from tallymark.drawing import drawn

    if not names:
        output.write({**drawn(textbook.listing), JSON: lambda: as_json(textbook.listing_form())})
        return
    done = textbook.done(textbook.chosen(names))
    output.write(
        {
            **drawn(lambda: textbook.worked_document(done), lambda: textbook.worked_page(done)),
            TEXT: lambda: textbook.worked_text(done),
            JSON: lambda: as_json(textbook.worked_form(done)),
        }
    )
