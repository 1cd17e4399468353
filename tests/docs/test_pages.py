"""Every command and every piece of Python that the README and the pages under ``docs/`` show is run here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import ENVIRONMENT, NOT_RUN, PAGES, ROOT, RUN, Shell, agrees, commands, page_name, read_blocks

from wordorder.cli.main import main

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


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = {target for target, _ in _LINK.findall(index)}
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
