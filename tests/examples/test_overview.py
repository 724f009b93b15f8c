"""The overview names every example and shows a small picture of each."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_overview_has_every_example_and_a_small_picture_of_it() -> None:
    overview = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for file in [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")]:
        picture = f"../docs/pictures/examples/{file.stem}.png"
        assert f"[{file.name}]({file.name})" in overview
        assert f"]({picture})" in overview
        assert (EXAMPLES / picture).stat().st_size < 60_000
