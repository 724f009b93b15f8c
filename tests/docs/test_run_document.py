"""The harness finds what is wrong in a document, and where."""

from contextlib import chdir
from pathlib import Path

import pytest
from run_document import Wrong, blocks, run, updated


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(code: str) -> str:
    return f"```python\n{code}\n```\n"


RIGHT = {
    "a number": python("1 / 2  # 0.5"),
    "a number that is cut off": python("2 / 3  # 0.66..., two thirds"),
    "a number that is rounded": python("2 / 3  # 0.667"),
    "a negative number": python("-1 / 4  # -0.25"),
    "a text": python("'a' + 'b'  # 'ab', both"),
    "a text that is cut off": python("'cannot tell'  # 'cannot...'"),
    "a text with a gap": python("'from here to there'  # \"from ... there\""),
    "an expression of several lines": python("sum(\n    [1, 2]\n)  # 3"),
    "two expressions in a line": python("x = 1; x  # 1"),
    "names that are shared": python("x = 3") + "\nIt is\n\n" + python("x  # 3"),
    "an output": python("print('one')\nprint('two')") + "\n```text\none\ntwo\n```\n",
    "an output in part": python("for n in range(9): print(n)") + "\n```text\n0\n...\n8\n```\n",
    "a text that is no output": python("print('one')") + "Words.\n```text\nother\n```\n",
    "an exit code": "```sh\ntallymark interval --correct 8 --of 2   # exit 2\n```\n",
    "a file from one line to the next": "```sh\nprintf 'a\\n' > f\nmkdir g\ncat f\n```\n```text\na\n```\n",
    "another folder": "```sh\nmkdir g\ncd g\nprintf 'a\\n' > f\ncat f\n```\n```text\na\n```\n",
    "a line that goes on": "```sh\ntallymark interval --correct 80 \\\n    --of 100 --method wilson\n```\n",
    "what is kept of a command": "```sh\ntallymark metrics > all.txt\n```\n```text\n```\n",
    "lines that are left out": "```sh\npip install tallymark\nmake demo   # all of it\n```\n",
    "a block that is not run": "<!-- not run: it needs a cluster -->\n```python\n1 / 0\n```\n",
    "the output of a block that is not run": "<!-- not run: slow -->\n```sh\nsleep 9\n```\n```text\nx\n```\n",
    "a block in a list": "- so:\n\n  ```python\n  1 + 1  # 2\n  ```\n",
    "data": "```toml\na = 1\n```\n```yaml\na: 1\n```\n```json\n[1]\n```\n```xml\n<a/>\n```\n",
}

WRONG = {
    "a number": ("\n" + python("1 / 2  # 0.6"), "d.md:3: the comment says # 0.6, but it is 0.5"),
    "a number that is badly rounded": (python("2 / 3  # 0.668"), "d.md:2: the comment says # 0.668"),
    "a text": (python("'ab'  # 'a'"), "d.md:2: the comment says # 'a', but it is ab"),
    "an error": (python("x = 1\n1 / 0"), "d.md:3: ZeroDivisionError: division by zero"),
    "no Python": (python("x = 1\nx +"), "d.md:3: invalid syntax"),
    "an output": (python("print('one')") + "```text\ntwo\n```\n", "d.md:5: this is not the output: 'two'"),
    "an output that goes on": (python("print('a\\nb')") + "```text\na\n```\n", "d.md:5: this is not"),
    "an output of nothing": (python("x = 1") + "```text\na\n```\n", "d.md:5: this is not the output: 'a'"),
    "lines in another order": (
        python("print('a\\nb')") + "```text\nb\na\n```\n",
        "d.md:5: this is not the output",
    ),
    "a fence of no kind": ("```pyhton\n1\n```\n", "d.md:1: a fence of 'pyhton' is not known"),
    "a bare fence": ("```\n1\n```\n", "d.md:1: a fence of 'no language' is not known"),
    "an exit code": ("```sh\ntallymark interval --correct 8 --of 2\n```\n", "d.md:2: exit code 2"),
    "an exit code that did not come": ("```sh\ntallymark metrics   # exit 1\n```\n", "d.md:2: exit code 0"),
    "a command of no kind": ("```sh\nsleep 1\n```\n", "d.md:2: this line is of no kind"),
    "a line of the shell": ("```sh\ncat nothing\n```\n", "d.md:2: exit code 1: cat nothing"),
    "no TOML": ("```toml\na =\n```\n", "d.md:2: no toml"),
    "no YAML": ("```yaml\na: [\n```\n", "d.md:2: no yaml"),
    "no JSON": ("```json\n{a}\n```\n", "d.md:2: no json"),
    "no XML": ("```xml\n<a>\n```\n", "d.md:2: no xml"),
}


OLD_AND_NEW = {
    "a number with as many decimals": (
        python("2 / 3  # 0.71, two thirds"),
        python("2 / 3  # 0.67, two thirds"),
    ),
    "a whole number": (python("1 + 1  # 3"), python("1 + 1  # 2")),
    "a text": (python("'ab'  # 'a', short"), python("'ab'  # 'ab', short")),
    "an output": (
        python("print('a\\nb')") + "```text\nold\n```\nend\n",
        python("print('a\\nb')") + "```text\na\nb\n```\nend\n",
    ),
    "an output in part": (
        python("for n in range(9): print('row', n * 11)") + "```text\nrow 0\n...\nrow 44.\n...\n```\n",
        python("for n in range(9): print('row', n * 11)") + "```text\nrow 0\n...\nrow 44\n...\n```\n",
    ),
    "in a list": (
        "- so:\n\n  ```python\n  print(7)\n  ```\n  ```text\n  8\n  ```\n",
        "- so:\n\n  ```python\n  print(7)\n  ```\n  ```text\n  7\n  ```\n",
    ),
}


def test_is_content_with_what_is_right() -> None:
    for name, text in RIGHT.items():
        for work in ("run", "update"):
            folder = Path(f"{name}, {work}")
            folder.mkdir()
            with chdir(folder):
                if work == "run":
                    run(text, "d.md")
                else:
                    assert updated(text, "d.md") == text, name


def test_names_the_line_of_what_is_wrong() -> None:
    found = {}
    for name, (text, _) in WRONG.items():
        with pytest.raises(Wrong) as raised:
            run(text, "d.md")
        found[name] = str(raised.value)
    assert not {name: said for name, said in found.items() if not said.startswith(WRONG[name][1])}


def test_updates_what_is_shown() -> None:
    assert {name: updated(old, "d.md") for name, (old, _) in OLD_AND_NEW.items()} == {
        name: new for name, (_, new) in OLD_AND_NEW.items()
    }
    with pytest.raises(Wrong):
        updated(python("'from here to there'  # \"from ... where\""), "d.md")


def test_counts_what_it_compared() -> None:
    text = python("print('x')\n1  # 1\n2  # two") + "```text\nx\n```\n"
    assert run(text, "d.md") == 2


def test_a_mark_without_a_reason_leaves_nothing_out() -> None:
    (block,) = blocks("<!-- not run: -->\n```python\n1\n```\n")
    assert not block.not_run
