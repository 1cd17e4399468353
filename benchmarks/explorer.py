"""How large and how fast is the explorer? Pages of 16 systems × 3,003 segments and of 2 systems × 100,000.

    python benchmarks/explorer.py [--wmt FOLDER]

FOLDER has ``newstest2012-ref.en`` and ``system-outputs/de-en``; without it, sentences of invented words stand in for
WMT12. Needs Chromium and playwright. Times of the browser are taken inside it, the median of three pages: from the
start of navigation to a drawn table, from a change of the address to the drawn list, and the longest frame while the
list is scrolled from top to end.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import wordorder
from wordorder.show.explorer import scores_page, write_page

METRICS = "lr-kb4,kendall-sqrt,pef,bleu"

READY = """() => new Promise((done) => {
  const look = () => document.documentElement.dataset.ready
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now()))) : setTimeout(look, 5);
  look();
})"""
FIRST_TABLE = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
CHANGE = """(change) => new Promise((done) => {
  const start = performance.now();
  addEventListener("hashchange", () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))),
    { once: true });
  location.hash = change;
})"""
SCROLL = """() => new Promise((done) => {
  const list = document.querySelector(".list");
  const step = list.scrollHeight / 200;
  let longest = 0, last = performance.now();
  const frame = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) return done(longest);
    list.scrollTop += step;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""


def invent(systems: int, segments: int) -> tuple[dict[str, list[str]], list[str]]:
    """Invent references of about 25 words, and systems that have moved and changed some of them."""
    chance = random.Random(1)
    vocabulary = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(30_000)]
    ranks = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    words = iter(chance.choices(vocabulary, ranks, k=40 * segments))
    references = [[next(words) for _ in range(chance.randint(8, 40))] for _ in range(segments)]

    def translate(reference: list[str]) -> str:
        start, stop = sorted(chance.sample(range(len(reference) + 1), 2))
        moved = reference[:start] + reference[stop:] + reference[start:stop]
        return " ".join(word if chance.random() < 0.7 else chance.choice(vocabulary) for word in moved)

    texts = {f"system{number}": [translate(one) for one in references] for number in range(1, systems + 1)}
    return texts, [" ".join(reference) for reference in references]


def read_wmt(folder: Path) -> tuple[dict[str, Any], Any]:
    """Name the files of WMT12, German to English."""
    files = sorted((folder / "system-outputs" / "de-en").iterdir())
    return {path.name.removeprefix("newstest2012.de-en."): path for path in files}, folder / "newstest2012-ref.en"


def write(name: str, texts: dict[str, Any], reference: Any, path: Path) -> None:
    """Score, write the page, and say how long the writing took and how large the page is."""
    started = time.perf_counter()
    scores = wordorder.score(texts, [reference] if isinstance(reference, Path) else reference, metrics=METRICS)
    scores.table()
    scored, busy = time.perf_counter(), time.process_time()
    write_page(scores_page(scores), path)
    written, busy = time.perf_counter(), time.process_time() - busy
    size = path.stat().st_size / 1e6
    more = f"{written - scored:.1f} s more ({busy:.1f} s of CPU)"
    print(f"{name}: scored in {scored - started:.1f} s, written in {more}, {size:.1f} MB")


def measure(path: Path, word: str) -> None:
    """Open the page three times and print the medians."""
    from playwright.sync_api import sync_playwright

    found: dict[str, list[float]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto(path.as_uri())
            found.setdefault("all segments ready", []).append(page.evaluate(READY))
            found.setdefault("first table (overview)", []).append(page.evaluate(FIRST_TABLE))
            for step, change in (
                ("list of segments", "#view=segments"),
                ("sort by score", "#view=segments&sort=a"),
                ("sort by spread of all", "#view=segments&sort=spread"),
                ("find a word (first)", f"#view=segments&find={word}"),
                ("find a word (again)", "#view=segments&find=er"),
                ("filter by length", "#view=segments&shortest=10&longest=20"),
                ("compare two", "#view=compare&sort=difference"),
                ("open a segment", "#view=segments&segment=100"),
            ):
                found.setdefault(step, []).append(page.evaluate(CHANGE, change))
            page.evaluate(CHANGE, "#view=segments")
            found.setdefault("longest frame while scrolling", []).append(page.evaluate(SCROLL))
            page.close()
        browser.close()
    for step, times in found.items():
        print(f"  {step:32}{statistics.median(times):8.0f} ms")


def main() -> None:
    """Write and measure both pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wmt", type=Path, help="folder with the data of WMT12")
    parser.add_argument("--keep", type=Path, help="folder to leave the pages in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.keep or Path(made)
        texts, reference = read_wmt(options.wmt) if options.wmt else invent(16, 3003)
        write("16 systems × 3,003", texts, reference, folder / "wmt12.html")
        measure(folder / "wmt12.html", "the")
        texts, reference = invent(2, 100_000)
        write("2 systems × 100,000", texts, reference, folder / "large.html")
        measure(folder / "large.html", "ab")


if __name__ == "__main__":
    main()
