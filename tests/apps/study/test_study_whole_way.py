"""The whole way: simulated people answer over HTTP, and the analysis finds what they think; the commands in order."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from serving import serve_folder
from study_corpora import texts, write_corpus

from wordorder.apps.study import Study, sequence
from wordorder.apps.study.creation import default_settings, write_study
from wordorder.apps.study.materials.texts import Guides, StudyTexts, rating_items
from wordorder.apps.study.settings import Checks
from wordorder.apps.study.simulation import SimulatedPeople, SimulationPlan
from wordorder.apps.study.web.guard import Limit
from wordorder.cli.main import main
from wordorder.report.table import Table


@pytest.mark.slow
def test_effects_of_people_who_answer_over_http_are_found(tmp_path: Path) -> None:
    files = texts(tmp_path, 8)
    read = StudyTexts.read({name: files[name] for name in "AB"}, files["src"], files["ref"])
    items = rating_items(
        read, seed=1, questions=default_settings("rate", seed=1, materials={}).questions, guides=Guides(attention=2)
    )
    settings = default_settings("rate", seed=1, materials={}, checks=Checks(attention=2, gold_pass=0.7))
    study = write_study(tmp_path / "study", settings, items)
    people = SimulatedPeople(study, SimulationPlan(people=8, effects={"A": 1.5, "B": -1.5, "noise": 0.5}))
    with serve_folder(study.folder) as running:
        running.application.answers_per_person = Limit(1000, 1.0)
        for number in range(8):
            client = running.client()
            client.consent()
            person = f"p{number + 1}"
            progress = running.store.state().of(person)
            assert progress.list is not None
            for place, key in enumerate(sequence(study, person, progress.list)):
                item = study.item(key)
                answer = people.click(item) if number == 7 else people.answer(item, person)
                reply = client.post("answer", place=place, answer=answer, visible=4000, hidden=0, revises=0)
                assert reply.status == 200, reply.error
        answers = study.answers()
    assert answers.num_rows == 8 * 10
    found = Study.read(study.folder).analyse()
    assert _cell(found.tables["people"], "kept", "n") == 7
    assert float(_cell(found.tables["tests"], "mixed model", "p")) < 0.01
    rows = [[cell.value for cell in row] for row in found.tables["means"].rows]
    means = {row[2]: float(row[3] or 0) for row in rows if row[0] == "kept"}
    assert means["A"] - means["B"] == pytest.approx(3, abs=0.8)


def _cell(table: Table, name: str, column: str) -> float:
    place = [one.name for one in table.columns].index(column)
    (row,) = (row for row in table.rows if name in [cell.value for cell in row])
    return float(row[place].value or 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_commands_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_corpus(tmp_path, 48)
    monkeypatch.chdir(tmp_path)
    corpus = ["--align", files["align"], "--source", files["zh"], "--target", files["en"]]
    assert main(["study", "new", "scramble", "s", *corpus, "--items", "10", "--fillers", "4"]) == 0
    assert "wordorder study check s" in capsys.readouterr().out
    assert main(["study", "new", "scramble", "s", *corpus]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["study", "check", "s", "--no-power", "--show", "1"]) == 0
    shown = capsys.readouterr()
    assert "people needed     25" in shown.out
    assert '{"text": "' in shown.out
    assert "who runs the study" in shown.err
    assert main(["study", "simulate", "s", "--people", "10", "--follow", "fuzzy", "--set", "noise=0.3"]) == 0
    capsys.readouterr()
    assert main(["study", "analyse", "s", "--simulated", "--json"]) == 0
    assert '"metrics"' in capsys.readouterr().out
    assert main(["study", "export", "s", "--to", "out", "--simulated"]) == 0
    monkeypatch.chdir(tmp_path / "out")
    command, *_ = Path("commands.txt").read_text().splitlines()
    assert main([*shlex.split(command)[1:], "--samples", "20"]) == 0
    first = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fuzzy")]
    assert "*" in first[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("new rate d --hyp A --gold g.tsv", "--gold does not apply to studies of kind rate"),
        ("new prefer d", "needs --hyp"),
        ("new scramble d", "needs either --treebank or --align"),
        ("new scramble d --align ref.align", "--align also needs the aligned texts: give --source and --target"),
        ("new prefer d --hyp A B C", "needs two systems, not 3"),
        ("new align d --source src --prefill ref.align", "--prefill fills in links to target words and needs --target"),
        ("new mark d --hyp nothing", "nothing"),
        ("check none", "study new"),
        ("analyse s", "nobody has been invited yet, so there are no answers; give --simulated"),
        ("analyse s --simulated", "study simulate"),
        ("simulate s --set A", "expected NAME=VALUE"),
        ("simulate s --set Z=1", "unknown effect 'Z'"),
        ("export s --to src", "simulate"),
    ],
)
def test_mistakes_are_told(
    arguments: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WORDORDER_STUDY_DATABASE", raising=False)
    texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["study", "new", "rate", "s", "--hyp", "A", "B", "--ref", "ref"]) == 0
    words = arguments.split() + (["--simulated"] if arguments.startswith("export") else [])
    assert main(["study", *words]) in (1, 2)
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
    assert not os.path.exists("d")


def test_people_need_the_extra_and_simulated_ones_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WORDORDER_STUDY_DATABASE", raising=False)
    texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["study", "new", "rate", "s", "--hyp", "A", "B", "--ref", "ref"]) == 0
    for name in [name for name in sys.modules if name.startswith("wordorder.apps.study.store")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    assert main(["study", "simulate", "s", "--people", "4"]) == 0
    capsys.readouterr()
    assert main(["study", "analyse", "s", "--simulated"]) == 0
    assert "simulated answers, made by 'study simulate': nobody has taken part" in capsys.readouterr().out
    assert main(["study", "analyse", "s"]) == 1
    assert "nobody has been invited yet" in capsys.readouterr().err
    Path("s/study.db").touch()
    for command in ("analyse", "status"):
        assert main(["study", command, "s"]) == 2
        said = "need the package sqlalchemy; install it with: pip install 'wordorder[studies]'"
        assert said in capsys.readouterr().err


def test_analysing_a_folder_loads_no_server(tmp_path: Path) -> None:
    """Reading and making studies needs neither starlette nor sqlalchemy."""
    import subprocess

    code = (
        "import sys, wordorder.apps.study, wordorder.apps.study.simulation, wordorder.apps.study.analyses.rate, "
        "wordorder.apps.study.creation; "
        "sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'sqlalchemy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, env=os.environ).returncode == 0
