"""``wordorder profile``: what a person types and what comes out."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from wordorder.cli.main import main

# 1-based, lengths, RQuantity: the table of known cases (Birch 2011, §3.2)
CASES = [
    ("1-4 2-3 3-2 4-1", 4, 4, 2.25),
    ("1-3 2-1 3-4 4-2", 4, 4, 1.0),
    ("1-2 2-4 3-1 4-3", 4, 4, 0.5),
    ("2-4 4-5 5-1 6-2", 6, 6, 5 / 6),
    ("1-1 2-3 3-4 4-3", 4, 4, 0.0),
    ("1-2 1-4 2-3 3-1", 3, 4, 1.0),
    ("1-1 2-7 2-8 2-9 3-5 4-6 5-2 5-3 6-4 7-10", 7, 10, 1.3),
]
MEAN = sum(case[3] for case in CASES) / len(CASES)
QUANTITIES = [case[3] for case in CASES if case[2] <= 4]


def words(count: int) -> str:
    return " ".join(f"w{place}" for place in range(count))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus of the known cases and a monotone one, where the commands run."""
    files = {
        "known.align": [case[0] for case in CASES],
        "known.slen": [str(case[1]) for case in CASES],
        "known.tlen": [str(case[2]) for case in CASES],
        "known.src": [words(case[1]) for case in CASES],
        "known.tgt": [words(case[2]) for case in CASES],
        "flat.align": ["0-0 1-1 2-2"] * 3,
        "flat.txt": ["a b c"] * 3,
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


KNOWN = ["known.align", "--base", "1", "--source", "known.src", "--target", "known.tgt"]
FLAT = ["flat.align", "--source", "flat.txt", "--target", "flat.txt"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["profile", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def tables(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, list[str]]]:
    """Run, and return the rows of each table by their first field: its columns, without what comes after them."""
    code, out, err = run(capsys, *arguments, "--format", "tsv")
    assert (code, err) == (0, "")
    found = []
    for text in out.split("\n\n"):
        lines = [line.split("\t") for line in text.splitlines()]
        end = next(k for k, name in enumerate([*lines[0], "notes"]) if name.endswith((".low", "signature", "notes")))
        found.append({line[0]: line[1:end] for line in lines})
    return found


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, list[str]]:
    return tables(capsys, *arguments)[0]


def test_the_table_of_a_corpus(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = table(capsys, *KNOWN)
    assert figures["measure"] == ["known.align"]
    assert figures["sentences"] == ["7"]
    assert float(figures["RQuantity"][0]) == pytest.approx(MEAN)
    assert figures["reorderings"] == ["10"]
    assert "BLEU of the reference in source order" in figures


def test_texts_alone_are_aligned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["das kleine haus", "das haus", "ein kleines haus", "das buch", "ein buch", "haus das kleine"] * 5
    english = ["the small house", "the house", "a small house", "the book", "a book", "the small house"] * 5
    (folder / "de.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "en.txt").write_text("\n".join(english) + "\n", encoding="utf-8")
    texts = ("--source", "de.txt", "--target", "en.txt")
    found = table(capsys, *texts)
    assert found["measure"] == ["en"]
    assert float(found["RQuantity"][0]) == pytest.approx(3 / 3 / 6)  # one of six turns two blocks of three words
    document = json.loads(run(capsys, *texts, "--json", "--aligner", "model1", "--symmetrise", "intersection")[1])
    assert document["corpora"][0]["signature"] == {
        "aligner": "model1+intersection",
        "train_pairs": 30,
        "train_text": "c6b571e1c372",
    }
    assert main(["align", *texts, "--save", "model", "-o", "made.align"]) == 0
    given = table(capsys, "en=made.align", *texts)
    assert given == found
    assert table(capsys, "--align", "en=made.align", *texts) == given
    assert table(capsys, *texts, "--align-model", "model") == given
    assert run(capsys, *texts, "--write-buckets", "b.txt", "--bucket-lengths", "1-9")[0] == 0
    assert len((folder / "b.txt").read_text(encoding="utf-8").splitlines()) == 30


def test_two_corpora_are_compared_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scipy import stats

    _, out, _ = run(capsys, *KNOWN)
    assert "RQuantity: known" not in out  # nothing to compare with
    (folder / "half.align").write_text("0-1 1-0\n0-0 1-1\n" * 4, encoding="utf-8")
    (folder / "none.align").write_text("0-0 1-1\n" * 6 + "0-1 1-0\n", encoding="utf-8")
    for name, count in (("half", 8), ("none", 7)):
        (folder / f"{name}.txt").write_text("a b\n" * count, encoding="utf-8")
    files = ["half=half.align", "none=none.align"]
    texts = ["--source", "half.txt", "none.txt", "--target", "half.txt", "none.txt"]
    document = json.loads(run(capsys, *files, *texts, "--json")[1])
    (tested,) = document["tests"]
    samples = [1, 0] * 4, [0] * 6 + [1]
    expected = stats.ttest_ind(*samples, equal_var=False)
    low, high = expected.confidence_interval()
    assert [tested[name] for name in ("difference", "p", "low", "high")] == pytest.approx(
        [0.5 - 1 / 7, expected.pvalue, low, high]
    )
    out = run(capsys, *files, *texts)[1]
    said = f"RQuantity: half does not reorder significantly more than none; the difference is {0.5 - 1 / 7:.3f}"
    assert said in out
    assert f"p = {expected.pvalue:.2g}, Welch's t-test" in out
    four = [f"{name}{number}={name}.align" for number in (1, 2) for name in ("half", "none")]
    out = run(capsys, *four, "--source", *["half.txt", "none.txt"] * 2, "--target", *["half.txt", "none.txt"] * 2)[1]
    assert "RQuantity: every pair of corpora differs significantly, except half1 and none1 (p = " in out


def test_lengths_are_as_good_as_text_except_for_bleu(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_text = table(capsys, *KNOWN)
    lengths = ["--source-lengths", "known.slen", "--target-lengths", "known.tlen"]
    del with_text["BLEU of the reference in source order"]
    assert table(capsys, "known.align", "--base", "1", *lengths) == with_text


def test_corpora_side_by_side_and_their_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "known0.align").write_text("0-1 1-0\n" * 3, encoding="utf-8")
    texts = ["--source", "flat.txt", "--target", "flat.txt", "flat.txt"]
    found = table(capsys, "two=known0.align", "flat.align", *texts)
    assert found["measure"] == ["two", "flat.align"]
    assert [float(value) for value in found["RQuantity"]] == [pytest.approx(2 / 3), 0]


def test_a_corpus_without_reordering_has_a_sensible_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *FLAT, "--format", "table")
    assert code == 0
    assert "nan" not in out
    rows = {line[:41].strip(): line[41:].split() for line in out.splitlines()}
    assert rows["RQuantity"] == ["0.000", "±.000"]
    assert rows["short reorderings (2–4 words), share"] == ["–"]
    assert rows["binarisable (ITG) sentences, share"] == ["1.000", "±.000"]
    assert "no reorderings: every sentence is monotone" in out
    assert table(capsys, *FLAT, "--by", "width") == {"width": ["flat.align"]}
    document = json.loads(run(capsys, *FLAT, "--json")[1])
    assert document["corpora"][0]["figures"]["short"] is None
    assert document["corpora"][0]["by_width"] == []


def test_the_histogram_is_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, drawn, _ = run(capsys, *KNOWN, "--format", "table")
    assert "reorderings per sentence by width in target words" in drawn
    assert "█" in drawn
    assert run(capsys, *KNOWN)[1] == drawn
    assert "█" not in run(capsys, *KNOWN, "--format", "tsv")[1]


def test_json_tells_everything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *KNOWN, "--json", "--step", "2", "--side", "source", "--vocabulary")
    document = json.loads(out)
    (corpus,) = document["corpora"]
    assert code == 0
    assert document["signature"]["side"] == "source"
    assert corpus["signature"] == {"align_format": "pharaoh", "base": 1}
    assert corpus["figures"]["rquantity"] == pytest.approx(MEAN)
    assert corpus["figures"]["target_vocabulary"] == 10
    assert corpus["figures"]["similarity"] > 0.9
    assert sum(row["reorderings"] for row in corpus["by_width"]) == 10
    assert [(row["shortest"], row["longest"], row["sentences"]) for row in corpus["by_length"]] == [
        (3, 4, 5),
        (5, 6, 1),
        (7, 8, 1),
    ]


def test_by_length_and_by_width(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = table(capsys, *KNOWN, "--by", "length", "--step", "4")
    # Birch 2011, Figures 3.15–3.16: the mean with its standard deviation
    assert found["words"] == ["known.align", "known.align SD", "known.align sentences"]
    mean, deviation, sentences = found["1–4"]
    assert (float(mean), sentences) == (statistics.fmean(QUANTITIES), "5")
    assert float(deviation) == pytest.approx(statistics.stdev(QUANTITIES))
    assert float(table(capsys, *KNOWN, "--by", "width")["2"][0]) == pytest.approx(4 / 7)


def test_segments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = run(capsys, *KNOWN, "--segments", "out.jsonl")
    records = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert code == 0
    assert [record["rquantity"] for record in records] == pytest.approx([case[3] for case in CASES])
    assert records[0]["reorderings"] == ["1,4,2,3", "1-2,3-4,3,2", "1-3,2-4,4,1"]
    assert records[1]["largest_operator"] == 4
    assert {record["corpus"] for record in records} == {"known.align"}


def test_an_error_leaves_no_segments_behind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.align").write_text("0-0\n0-9\n0-0\n", encoding="utf-8")
    code, out, err = run(capsys, "broken.align", *FLAT[1:], "--segments", "out.jsonl", "--write-buckets", "b.txt")
    assert (code, out) == (1, "")
    assert err.startswith("wordorder: broken.align:2: link 0-9 is out of range")
    assert err.endswith("; is this the alignment of flat.txt with flat.txt, line by line?\n")
    assert not (folder / "out.jsonl").exists()
    assert not (folder / "b.txt").exists()


@pytest.mark.filterwarnings("default")
def test_determiners_by_list_file_or_tag(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.align").write_text("0-0 0-2 1-1\n", encoding="utf-8")
    (folder / "es.txt").write_text("casa grande\n", encoding="utf-8")
    (folder / "en.txt").write_text("The big house\n", encoding="utf-8")
    (folder / "list").write_text("the\na\n\n", encoding="utf-8")
    tagged = ((1, "The", "DET"), (2, "big", "ADJ"), (3, "house", "NOUN"))
    lines = [f"{place}\t{form}\t_\t{tag}" + "\t_" * 6 for place, form, tag in tagged]
    (folder / "en.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
    common = ["x.align", "--source", "es.txt", "--target"]
    for arguments, expected in (
        (["en.txt"], "0"),
        (["en.txt", "--unalign-target", "a,the"], "1"),
        (["en.txt", "--unalign-target", "@list"], "1"),
        (["en.conllu", "--unalign-target-pos", "DET"], "1"),
        (["en.conllu", "--unalign-target-pos", "ADJ"], "0"),
    ):
        assert table(capsys, *common, *arguments)["reorderings"] == [expected]
    code, out, err = run(capsys, *common, "en.conllu", "--unalign-target-pos", "DT")
    assert (code, out) == (2, "")
    assert err == "wordorder: no target word has the part of speech 'DT'; found: ADJ, DET, NOUN\n"
    code, _, err = run(capsys, *common, "en.conllu", "--unalign-target-pos", "PART,DET")  # a language may have none
    assert (code, err.count("no target word has the part of speech 'PART'")) == (0, 1)


def test_links_of_characters(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Birch 2011, §3.3.1
    (folder / "c.align").write_text("0-2 1-3 2-0 3-1\n", encoding="utf-8")
    (folder / "zh.txt").write_text("天下 新闻\n", encoding="utf-8")
    (folder / "en.txt").write_text("great news big world\n", encoding="utf-8")
    for side in ("--words", "--source-words"):
        found = table(capsys, "c.align", side, "zh.txt", "--target", "en.txt")
        assert found["source words"] == ["2"]
        assert found["RQuantity"] == ["1.0"]
    found = table(capsys, "--ref-align", "c.align", "--hyp-align", "c.align", "--words", "zh.txt")
    assert found["c.align"][:4] == ["1.0", "", "", "1.0"]
    (folder / "zh.txt").write_text("天下 新\n", encoding="utf-8")
    code, _, err = run(capsys, "c.align", "--words", "zh.txt", "--target", "en.txt")
    assert (code, err.startswith("wordorder: c.align:1: link 3-1 is out of range")) == (1, True)


def test_a_folder_of_treebanks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = folder / "en-xx"
    pair.mkdir()
    tree = "".join(f"{place}\tw{place}\t_\tX" + "\t_" * 6 + "\n" for place in (1, 2))
    for name in ("en.conllu", "target.conllu"):
        (pair / name).write_text(tree, encoding="utf-8")
    (pair / "alignment.json").write_text('[{"1": ["2"], "2": ["1"]}]', encoding="utf-8")
    found = table(capsys, "en-xx/", "flat.align", "--source", "flat.txt", "--target", "flat.txt")
    assert found["measure"] == ["en-xx", "flat.align"]
    assert found["RQuantity"] == ["1.0", "0.0"]


def test_buckets_are_what_score_takes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, summary = tables(capsys, *KNOWN, "--write-buckets", "buckets.txt", "--bucket-lengths", "4-6")
    # of 4 to 6 words: 2.25 1 .5 .8333 0 1; the last sentence has ten
    expected = ["high", "medium", "low", "low", "none", "medium", "-"]
    assert (folder / "buckets.txt").read_text(encoding="utf-8").splitlines() == expected
    assert summary["bucket"][:2] == ["sentences", "RQuantity"]  # Birch 2011, Table 3.2
    assert [(name, row[0], float(row[1])) for name, row in summary.items() if name != "bucket"] == [
        ("none", "1", 0),
        ("low", "2", pytest.approx((0.5 + 5 / 6) / 2)),
        ("medium", "2", 1),
        ("high", "1", 2.25),
        ("all", "6", pytest.approx((2.25 + 1 + 0.5 + 5 / 6 + 0 + 1) / 6)),
    ]
    document = json.loads(run(capsys, *KNOWN, "--write-buckets", "buckets.txt", "--bucket-lengths", "4-6", "--json")[1])
    assert [row["sentences"] for row in document["buckets"]] == [1, 2, 2, 1, 6]
    assert document["buckets"][0]["deviation"] is None
    (folder / "a.orders").write_text("1 2\n" * 4 + "2 1\n" * 3, encoding="utf-8")
    command = ["score", "--permutations", "a.orders", "--metrics", "kendall", "--buckets", "buckets.txt"]
    code = main([*command, "--format", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    kendall = ["kendall.low", "kendall.high", "kendall.undefined"]
    assert rows[0] == ["bucket", "system", "segments", "kendall", "words", *kendall, "signature", "notes"]
    assert [row[:4] for row in rows[1:]] == [
        ["none", "a.orders", "1", "0.0"],
        ["low", "a.orders", "2", "1.0"],
        ["medium", "a.orders", "2", "0.5"],
        ["high", "a.orders", "1", "1.0"],
        ["all", "a.orders", "6", str(4 / 6)],
    ]
    (folder / "buckets.txt").write_text("low\n", encoding="utf-8")
    code = main(["score", "--permutations", "a.orders", "--buckets", "buckets.txt"])
    assert code == 1
    assert (
        capsys.readouterr().err
        == "wordorder: --buckets: expected one bucket per segment, found 1 bucket for 7 segments\n"
    )


def test_gold_alignments_beside_automatic_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Birch 2011, Table 4.2
    widths, rows = tables(capsys, "made=known.align", *KNOWN[1:], "--gold", "known.align", "--by", "width")
    assert widths["width"] == ["gold", "made"]
    assert rows["alignments"][:2] == ["RQuantity", "difference"]
    assert float(rows["gold"][0]) == float(rows["made"][0]) == pytest.approx(MEAN)
    assert rows["made"][1:3] == ["0.0", "1.0"]
    document = json.loads(run(capsys, "made=known.align", *KNOWN[1:], "--gold", "known.align", "--json")[1])
    assert document["gold"]["corpora"][0]["found"] == document["gold"]["gold"]["reorderings"] == 10


REPRODUCED = ["--ref-align", "ref.align", "--hyp-align", "A=a.align", "ref.align"]


def test_reproduced_reorderings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ref.align").write_text("0-1 1-0\n0-1 1-0\n0-0\n", encoding="utf-8")
    (folder / "a.align").write_text("0-1 1-0\n0-0 1-1\n0-0\n", encoding="utf-8")
    code, out, _ = run(capsys, *REPRODUCED, "--segments", "out.jsonl", "--format", "tsv")
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0][:5] == ["system", "short", "medium", "long", "all"]
    assert rows[1][:5] == ["A", "0.5", "", "", "0.5"]
    assert rows[2][:5] == ["ref.align", "1.0", "", "", "1.0"]
    records = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(record["system"], record["sentence"]) for record in records[:4]] == [
        ("A", 1),
        ("A", 2),
        ("A", 3),
        ("ref.align", 1),
    ]
    assert records[1]["reorderings"] == [{"reordering": "1,2,2,1", "width": 2, "reproduced": False}]
    document = json.loads(run(capsys, *REPRODUCED, "--json", "--samples", "0")[1])
    assert document["systems"][0]["shares"]["short"] == {
        "value": 0.5,
        "low": None,
        "high": None,
        "reproduced": 1,
        "reference": 2,
    }
    assert document["signature"]["align_format"] == "pharaoh"


def test_factors_of_the_thesis(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--factors", "--format", "table")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["rquantity", "0.392"] in [line[:2] for line in lines]
    assert ["similarity", "0.366"] in [line[:2] for line in lines]
    assert ["rquantity", "1.000", "-0.488"] in lines
    assert "outliers left out: el-fr, sv-da, da-sv, nl-de" in out
    document = json.loads(run(capsys, "--factors", "--json")[1])
    assert [effect["name"] for effect in document["model"]["effects"]] == ["intercept", "rquantity", "similarity"]
    assert len(document["model"]["outliers"]) == 4
    assert document["multiple"]["r2"] == pytest.approx(0.537, abs=5e-4)
    assert [slope["predictor"] for slope in document["model"]["slopes"]] == ["rquantity", "similarity"]


def test_a_table_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "abcde"
    rows = [
        f"{source}\t{target}\t{30 - 2 * i - j + (i * j) % 3}\t{i + (2 * j) % 3}\t{j}"
        for i, source in enumerate(names)
        for j, target in enumerate(names)
    ]
    (folder / "pairs.tsv").write_text(
        "source\ttarget\tchrf\tamount\tother\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    arguments = ["--factors", "pairs.tsv", "--response", "chrf", "--predictors", "amount"]
    code, out, _ = run(capsys, *arguments, "--format", "tsv")
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        *("predictor", "amount", "", "predictor", "amount", "", "fixed effect", "intercept", "amount", ""),
        *("fixed effect", "intercept", "amount", "", "random slopes", "amount"),
    ]


def test_a_matrix_of_language_pairs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Birch 2011, Figures 4.3 and 4.4
    matrix, means = tables(capsys, "--factors", "--matrix", "rquantity")
    assert (matrix["source"][-2:], matrix["fr"][-2:]) == (["de", "fi"], ["0.613", "0.593"])
    assert means["language"] == ["pairs", "as source", "as target", "either"]
    assert json.loads(run(capsys, "--factors", "--matrix", "bleu", "--json")[1])["matrix"]["pt"]["es"] == 39.82
    corpora = ["de-en=known.align", "--base", "1", *KNOWN[3:]]
    matrix = table(capsys, *corpora, "--matrix", "rquantity", "--pairs", "pairs.tsv")
    assert float(matrix["de"][0]) == pytest.approx(MEAN)
    assert (folder / "pairs.tsv").read_text(encoding="utf-8").startswith("source\ttarget\tsentences\t")
    run(capsys, "--factors", "--matrix", "bleu", "--plot", "bleu.svg")
    assert ">39.8<" in (folder / "bleu.svg").read_text(encoding="utf-8")


def test_similarity_from_cognates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Birch 2011, §4.4.2
    (folder / "classes.tsv").write_text("language\tanimal\tblack\nfr\t1\t2\nes\t1\t2\nen\t1\t3\n", "utf-8")
    matrix, means = tables(capsys, "--cognates", "classes.tsv", "--pairs", "pairs.tsv")
    assert (matrix["es"], means["en"]) == (["1.0", "", "0.5"], ["4", "0.5", "0.5", "0.5"])
    assert (folder / "pairs.tsv").read_text("utf-8").splitlines()[:2] == [
        "source\ttarget\tsimilarity\tmeanings",
        "fr\tes\t1.0\t2.0",
    ]
    assert "100.0%" in run(capsys, "--cognates", "classes.tsv", "--format", "terminal")[1]


def test_a_table_too_small_for_the_mixed_model_has_everything_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = zip("abcdef", "ghijkl", (1, 2, 4, 3, 5, 7), (1, 3, 2, 5, 4, 9), (2, 1, 4, 4, 3, 1), strict=True)
    rows = ["source\ttarget\tbleu\tx\ty", *("\t".join(map(str, row)) for row in pairs)]
    (folder / "small.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    code, out, err = run(capsys, "--factors", "small.tsv", "--format", "tsv")
    assert code == 1
    assert out.count("predictor\t") == 2
    assert out.count("fixed effect\t") == 1
    assert err == "wordorder: a model with 3 terms needs 8 language pairs, found 6\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "no input; give --source and --target, alignments, --hyp-align, --factors or --cognates"),
        (["--source", "flat.txt"], 2, "texts are aligned automatically, which needs both --source and --target"),
        (["--source", "flat.txt", "--target", "known.tgt"], 1, "but the source has 3 and the target 7"),
        ([*FLAT, "--cognates", "x"], 2, "corpora and --cognates cannot be combined"),
        (["--cognates", "flat.txt"], 1, "flat.txt:1: no column 'language'; found 'a, b, c'"),
        (["none.align"], 2, "none.align: no such file"),
        (["flat.align"], 1, "flat.align:1: the length of source sentence 1 is needed"),
        ([*FLAT, "--base", "1"], 1, "flat.align:1: index 0 in a 1-based file"),
        (["flat.align", "flat.align"], 2, "two corpora are called 'flat.align'"),
        (["a=flat.align", "b=flat.align", "--source", "1", "2", "3"], 2, "--source has 3 files for 2 corpora"),
        ([".", "--source", "flat.txt"], 2, "--source cannot be used with aligned treebanks"),
        (["."], 2, "en.conllu: no such file"),
        ([*FLAT, "--factors"], 2, "corpora and --factors cannot be combined"),
        (["--hyp-align", "a", "--factors"], 2, "--hyp-align and --factors cannot be combined"),
        (["--hyp-align", "flat.align"], 2, "--hyp-align and --ref-align compare systems with a reference; give both"),
        (["--hyp-align", "a", "--ref-align", "b", "--target", "c"], 2, "--target cannot be combined with --hyp-align"),
        (["--hyp-align", "a", "--ref-align", "b", "--source", "c", "d"], 2, "--source must be a single file, because"),
        (["--hyp-align", "talp:known.align", "--ref-align", "flat.align"], 1, "flat.align has 3 lines, known.align"),
        (
            ["a=flat.align", "b=flat.align", "--write-buckets", "x"],
            2,
            "--write-buckets needs exactly one corpus, but 2 were given",
        ),
        (["--factors", "--pairs", "x"], 2, "give corpora or --cognates"),
        (["--hyp-align", "a", "--ref-align", "b", "--matrix", "x"], 2, "--matrix cannot show results of --hyp-align"),
        (
            [*FLAT, "--matrix", "rquantity"],
            2,
            "expected corpora named after language pairs such as de-en, found 'flat.align'",
        ),
        (["--factors", "--matrix", "blue"], 2, "unknown column 'blue'; did you mean 'bleu'?"),
        (["--factors", "--gold", "x"], 2, "--gold needs alignments"),
        ([*FLAT, "--gold", "x", "--write-buckets", "y"], 2, "--gold and --write-buckets cannot be combined"),
        (["gold=flat.align", *FLAT[1:], "--gold", "talp:x"], 2, "two corpora have the name 'gold'"),
        (
            ["flat.align", *FLAT[1:], "known.tgt", "--gold", "x"],
            2,
            "--target must be a single file, because --gold compares",
        ),
        (
            [*FLAT, "--bucket-lengths", "20"],
            2,
            "--bucket-lengths must be a range of sentence lengths such as 20-39, not '20'",
        ),
        (
            [*FLAT, "--bucket-lengths", "9-3"],
            2,
            "the minimum sentence length (9) must not be larger than the maximum (3)",
        ),
        ([*FLAT, "--step", "0"], 2, "--step must be 1 or more, not 0"),
        ([*FLAT, "--policy", "brich"], 2, "unknown policy 'brich'; did you mean 'birch'?"),
        ([*FLAT, "--align-format", "x"], 2, "unknown alignment format 'x'"),
        (
            [*FLAT, "--unalign-source-pos", "DET"],
            2,
            "removing the links of source words by part of speech needs a .conllu file",
        ),
        ([*FLAT, "--unalign-source", "@none"], 2, "none: no such file"),
        ([*FLAT, "--segments", "none/x.jsonl"], 2, "none/x.jsonl: there is no folder none"),
        ([*FLAT, "--source-lengths", "known.slen"], 2, "the source text already determines the source lengths"),
        (["--factors", "none.tsv"], 2, "none.tsv: no such file"),
        (["--factors", "flat.txt"], 1, "flat.txt:1: expected a header with source and target first, found"),
        (["--factors", "--response", "blue"], 2, "unknown column 'blue'; did you mean 'bleu'?"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.startswith("wordorder: ")
    assert err.count("\n") == 1


def test_unknown_options_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code in ((["profile", "--help"], 0), (["profile", "--side", "left"], 2)):
        assert main(arguments) == code
    captured = capsys.readouterr()
    assert "wordorder profile de-en.align --source de.txt --target en.txt" in captured.out
    assert captured.err.count("\n") == 1


@pytest.mark.realdata
def test_japanese_reorders_more_than_chinese_more_than_french_on_the_command_line(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = [str(shared / "data" / "pud-aligned" / pair) for pair in ("en-jp", "en-zh", "en-fr")]
    japanese, chinese, french = map(float, table(capsys, *pairs)["RQuantity"])
    assert japanese > 2 * chinese > 4 * french
