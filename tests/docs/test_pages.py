"""Every command and every piece of Python that the README and the pages under ``docs/`` show is run here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pages import ENVIRONMENT, NOT_RUN, PAGES, ROOT, RUN, Shell, agrees, commands, page_name, read_blocks

from wordorder.cli.main import main

LEVELS = ("0.01", "0.05", "95")  # of significance and of intervals
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)

pytestmark = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=page_name)
@pytest.mark.filterwarnings("default:the consent page")  # which pages leave to their readers
def test_what_a_page_shows_is_true(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    assert main(["demo", "--files", str(tmp_path / "demo")]) == 0
    monkeypatch.chdir(tmp_path / "demo")
    shell = Shell()
    for block in read_blocks(page.read_text(encoding="utf-8")):
        assert block.language in (*RUN, *NOT_RUN), f"{page.name}:{block.line}: a block without a known language"
        if block.language in ("python", "pycon"):
            shell.execute(block, page.name)
        elif block.language in RUN:
            for command, shown in commands(block):
                printed = shell.run(command)
                if block.language == "console":
                    assert agrees(shown, printed), f"{page.name}:{block.line}: {command}\n{printed}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
            path = page.parent / target
            assert path.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in _anchors(path), f"{page.name}: {target}#{anchor}"


def test_the_index_and_the_page_of_results_name_every_page() -> None:
    index, results = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("index.md", "results.md"))
    linked = {target for target, _ in _LINK.findall(index + results)}
    pages = {f"{page_name(page)}.md" for page in PAGES}
    assert pages - {"README.md", "index.md"} <= linked


def test_pages_do_not_break_each_other_in_one_folder() -> None:
    """No page writes over the demo data, and no two make a folder of the same name."""
    demo = {path.name for path in (ROOT / "src" / "wordorder" / "data" / "demo").iterdir()}
    folders: dict[str, str] = {}
    for page in PAGES:
        blocks = [block.text for block in read_blocks(page.read_text(encoding="utf-8")) if block.language in RUN]
        for written in re.findall(r"(?: -o| --nbest| --out| >) ([\w./-]+)", "\n".join(blocks)):
            assert written not in demo, f"{page.name}: {written}"
        for folder in set(re.findall(r" --out ([\w./-]+)", "\n".join(blocks))):
            assert folder not in folders, f"{folder}: {folders[folder]} and {page.name}"
            folders[folder] = page.name


@pytest.mark.parametrize("story", [page for page in PAGES if page.parent.name == "stories"], ids=page_name)
def test_numbers_in_a_story_are_those_that_were_printed(story: Path) -> None:
    text = story.read_text(encoding="utf-8")
    blocks = [block.text for block in read_blocks(text)]
    printed = {float(number) for block in blocks for number in re.findall(r"\d*\.\d+", block)}
    prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    for number in re.findall(r"\d*\.\d+(?![.\d])", prose):
        digits = len(number.partition(".")[2])
        assert any(round(value, digits) == float(number) for value in printed) or number in LEVELS, number
    for share in re.findall(r"(\d+)%", prose):
        assert any(round(100 * value) == int(share) for value in printed) or share in LEVELS, f"{share}%"


def test_numbers_in_full_agree_but_for_their_last_digits() -> None:
    assert agrees('{"bleu": 0.7034711503007025}\n', '{"bleu": 0.7034711503007024}\n')
    assert agrees("0.88946784", "0.8894678400000001\nmore") is False
    assert agrees("0.88946784", "0.8894678400000001")
    assert not agrees('{"bleu": 0.7034711503007025}', '{"bleu": 0.7034711513007025}')
    assert not agrees("0.703", "0.704")


def test_all_metrics_are_defined() -> None:
    from wordorder.metrics import METRICS

    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert [name for name in METRICS if f"`{name}`" not in page] == []


def test_a_shell_refuses_what_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="exit code 2"):
        Shell().run("wordorder score --ref none.txt --hyp none.txt")
    assert agrees("1\n2\n…\n", "1\n2\n3\n")
    assert not agrees("1\n2\n", "1\n2\n3\n")
    assert not agrees("1\n3\n…\n", "1\n2\n3\n")


def _anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_step_of_a_workflow_fails_only_if_word_order_gets_worse(tmp_path: Path) -> None:
    blocks = read_blocks((ROOT / "docs" / "score.md").read_text("utf-8"))
    (step,) = (block.text for block in blocks if block.language == "yaml")
    script = textwrap.dedent(step.partition("run: |\n")[2]).replace("pip install .\n", "")
    assert script.startswith("wordorder score ")
    (tmp_path / "test").mkdir()
    lines = {"reference": "a b c d e f g h", "old": "a b c d e f h g", "worse": "h g f e d c b a"}
    for name, new, code in (("same", "old", 0), ("better", "reference", 0), ("worse", "worse", 3)):
        for file, line in (("reference", "reference"), ("old", "old"), ("new", new)):
            (tmp_path / "test" / f"{file}.txt").write_text(f"{lines[line]}\n" * 30)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path}, check=False)
        assert done.returncode == code, name
        assert (tmp_path / "scores.json").read_text().startswith("{")
