"""Build the site: ``make docs`` writes it into ``build/site``, from these pages and from docstrings.

Pages are copied into ``build/docs``, where links that lead out of ``docs/`` are turned. Explorers of the demo data, and
of WMT12 where the folder of real data is, and the pages of the Python interface are added, and the navigation is made
from the tables of ``index.md``. Zensical makes the rest.
``python docs/build_site.py FOLDER`` builds in another folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = Path(sys.argv[1]).resolve() if __name__ == "__main__" and len(sys.argv) > 1 else ROOT / "build"
PAGES = BUILD / "docs"

PROJECT = {"CHANGELOG.md": "Changelog", "CONTRIBUTING.md": "Contributing", "ARCHITECTURE.md": "Architecture"}
"""Pages outside of ``docs/`` that the site has, and what they are called there."""

API: Mapping[str, tuple[str, ...]] = {
    "Scoring": ("score", "score_runs", "Scores", "scoring.scores.Score"),
    "Inputs": (
        *("make_inputs", "scoring.inputs.MatchedTexts", "scoring.inputs.SourceTexts", "scoring.inputs.MonotoneTexts"),
        *("scoring.inputs.AlignedOrders", "scoring.inputs.MonotoneAlignments", "scoring.inputs.GivenOrders"),
        "scoring.inputs.ParsedTexts",
    ),
    "Settings": (
        *("scoring.options.InputOptions", "Matching", "Aligning", "Parsing", "Resampling", "report.table.Style"),
    ),
    "Metrics": ("metric", "METRICS", "Metric", "OrderMetric", "describe", "metrics.ter.ter_edits"),
    "Word orders": (
        *("Permutation", "Permutations", "Alignment", "Alignments", "PermutationTree", "PermutationForest", "order"),
        *("order_against_reference", "order_against_source", "inspect"),
    ),
    "Order errors": ("find", "patterns", "apps.patterns.Patterns", "apps.patterns.Pattern"),
    "Literal and simultaneous translation": (
        *("monotone", "apps.monotone.Literalness", "apps.monotone.compare_paragraphs", "apps.monotone.Paragraphs"),
        *("apps.monotone.simulate_waiting", "apps.monotone.measure_logs", "apps.monotone.Waiting"),
    ),
    "Reordering profiles": ("Corpus", "profile", "apps.profile.Profiles"),
    "Pictures": (
        *("draw_alignment", "draw_comparison", "draw_dependencies", "draw_forest", "draw_links", "draw_tree"),
        "show.pictures.Picture",
    ),
    "Errors": ("WordorderError", "InputError", "UsageError"),
}
"""A page for each theme: the names of ``wordorder.__all__``, and those in modules that go with them."""

SETTINGS = """\
[project]
site_name = "wordorder"
site_description = "Measure how well a translation orders its words, independently of which words it chose"
docs_dir = "docs"
site_dir = "site"
use_directory_urls = false
extra_css = ["site.css"]
nav = [
{nav}
]

[project.theme]
font = false
features = [
  "content.code.copy", "navigation.footer", "navigation.indexes", "navigation.sections", "navigation.tabs",
  "navigation.top", "navigation.tracking", "search.highlight", "toc.follow",
]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light"

[project.markdown_extensions]
attr_list = {{}}
md_in_html = {{}}
tables = {{}}
toc.permalink = true
pymdownx.highlight.pygments_lang_class = true
pymdownx.superfences = {{}}

[project.plugins.mkdocstrings.handlers.python]
paths = ["{source}"]

[project.plugins.mkdocstrings.handlers.python.options]
extensions = ["{docstrings}"]
docstring_section_style = "list"
heading_level = 2
members_order = "source"
merge_init_into_class = true
separate_signature = true
line_length = 88
show_root_heading = true
show_root_full_path = false
show_signature_annotations = true
show_source = false
show_bases = false
filters = ["!^_"]
"""

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_ROW_LINK = re.compile(r"\[([^\]]+)\]\(([\w/-]+\.md)\)")
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def copy_pages() -> None:
    """Copy all pages and pictures; links that lead out of ``docs/`` lead to pages of the site, or nowhere."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(HERE, PAGES, ignore=shutil.ignore_patterns("*.py", "__pycache__", ".*"))
    for name in PROJECT:
        shutil.copy(ROOT / name, PAGES / name.lower())
    for page in sorted(PAGES.rglob("*.md")):
        origin = ROOT / next((name for name in PROJECT if page.name == name.lower()), f"docs/{page.relative_to(PAGES)}")
        page.write_text(turn_links(page.read_text(encoding="utf-8"), origin, page), encoding="utf-8")


def turn_links(text: str, origin: Path, page: Path) -> str:
    """Return a page with its links as the site needs them; what is in code blocks is no link."""

    def turned(found: re.Match[str]) -> str:
        target, mark, part = found["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        path = (origin.parent / target).resolve()
        if path == ROOT / "README.md":  # the start page says the same
            path, mark, part = HERE / "index.md", "", ""
        if path.parent == ROOT and path.name in PROJECT:
            path = HERE / path.name.lower()
        elif not path.is_relative_to(HERE) or path.suffix == ".py" or not path.exists():
            return found["text"]
        if PAGES / path.relative_to(HERE) == page and not part:
            return found["text"]
        place = os.path.relpath(PAGES / path.relative_to(HERE), page.parent)
        return f"{found['image']}[{found['text']}]({place}{mark}{part})"

    pieces, end = [], 0
    for code in _CODE.finditer(text):
        pieces += [_LINK.sub(turned, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*pieces, _LINK.sub(turned, text[end:])])


def write_explorers() -> None:
    """Write an explorer of the demo data, and of WMT12 where the folder of real data is; its page links to them."""
    demo = ROOT / "src" / "wordorder" / "data" / "demo"
    wmt12 = Path(os.environ.get("WORDORDER_DATA", ROOT.parent / "shared" / "data")) / "wmt12"
    systems = [demo / f"{name}.txt" for name in ("good", "monotone", "scrambled")]
    wanted = [("the demo data", "explorer-demo.html", demo / "reference.txt", demo / "source.txt", systems)]
    if wmt12.is_dir():
        reference, source = (wmt12 / f"newstest2012-ref.{language}" for language in ("en", "de"))
        everyone = sorted((wmt12 / "system-outputs" / "de-en").iterdir())
        wanted.append(("WMT12, German to English", "explorer-wmt12.html", reference, source, everyone))
    with (PAGES / "explorer.md").open("a", encoding="utf-8") as page:
        page.write("\n## Open one\n\n")
        for title, name, reference, source, hypotheses in wanted:
            files = ["--ref", reference, "--source", source, "--hyp", *hypotheses, "--html", PAGES / name]
            command = ["score", *files, "-o", BUILD / "explorer.tsv", "-q"]
            subprocess.run([sys.executable, "-m", "wordorder", *map(str, command)], check=True)
            page.write(f"* [{title}]({name})\n")


def write_api() -> list[tuple[str, str]]:
    """Write the pages of the Python interface; return their titles and files."""
    (PAGES / "api").mkdir()
    lines = [
        "# Python interface",
        "",
        "Everything that `import wordorder` offers. [Python](../python.md) shows how it is used.",
        "",
    ]
    pages = []
    for title, names in API.items():
        file = f"api/{title.lower().replace(' ', '-')}.md"
        inherited = "\n    options:\n      inherited_members: true" if title == "Settings" else ""
        body = "\n\n".join(f"::: wordorder.{name}{inherited}" for name in names)
        (PAGES / file).write_text(f"# {title}\n\n{body}\n", encoding="utf-8")
        links = ", ".join(f"[`{name.rpartition('.')[2]}`][wordorder.{name}]" for name in names)
        lines += [f"* [{title}]({Path(file).name}): {links}"]
        pages.append((title, file))
    (PAGES / "api" / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [("All names", "api/index.md"), *pages]


def navigation(index: str) -> dict[str, list[tuple[str, str]]]:
    """Return the sections of the site: the tables of ``index.md``, and what they do not name."""
    heads = {"task": "Guide", "who asks": "Stories", "evidence": "Results", "reference": "Reference"}
    found: dict[str, list[tuple[str, str]]] = {section: [] for section in heads.values()}
    section = ""
    for line in index.splitlines():
        head = line.removeprefix("| ").partition(" |")[0]
        section = heads.get(head, section) if line.startswith("|") else ""
        if section:
            found[section] += [(title, file) for title, file in _ROW_LINK.findall(line) if (HERE / file).exists()]
    named = {file for pages in found.values() for _, file in pages} | {"index.md"}
    for path in sorted(HERE.rglob("*.md")):
        file = path.relative_to(HERE).as_posix()
        if file not in named:
            section = "Results" if file.startswith("results/") else "Reference"
            found[section].append((title_of(path), file))
    return found


def title_of(path: Path) -> str:
    """Return the first heading of a page."""
    return next(line[2:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))


def write_settings(sections: Mapping[str, list[tuple[str, str]]]) -> Path:
    """Write what Zensical wants to know."""

    def lines() -> Iterator[str]:
        yield '  { "Start" = "index.md" },'
        for section, pages in sections.items():
            inside = ", ".join(f"{{ {quoted(title)} = {quoted(file)} }}" for title, file in pages)
            yield f"  {{ {quoted(section)} = [{inside}] }},"

    path = BUILD / "zensical.toml"
    nav = "\n".join(lines())
    docstrings = (HERE / "docstrings.py").as_posix()
    path.write_text(SETTINGS.format(nav=nav, source=(ROOT / "src").as_posix(), docstrings=docstrings), encoding="utf-8")
    return path


def quoted(text: str) -> str:
    """Write a text as TOML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main() -> int:
    """Build the site; a warning is an error."""
    BUILD.mkdir(exist_ok=True)
    copy_pages()
    write_explorers()
    sections = navigation((HERE / "index.md").read_text(encoding="utf-8"))
    sections["Python interface"] = write_api()
    sections["Project"] = [(title, name.lower()) for name, title in PROJECT.items()]
    settings = write_settings(sections)
    shutil.rmtree(BUILD / "site", ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file", str(settings)]
    return subprocess.run(command, cwd=BUILD, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
