"""Every sentence of docs/promises.md has a test that fails if the sentence is false.

The docstring of a test in ``tests/whole/test_promises….py`` is the sentence, word for word, or several of them; a row
of a table is a sentence. What tests elsewhere prove is in ``ELSEWHERE``. A new sentence without a test fails here, as
does a test that quotes a sentence which is no longer on the page.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import wordorder
from wordorder.core.runtime import files

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"

ELSEWHERE = {
    "On another kind of machine, or with another version of NumPy or SciPy, the last digits of a number may differ.": (
        "docs/test_golden.py::test_the_file_is_what_the_program_gives",
    ),
    "[Golden values](golden.md) are tested with every change.": (
        "docs/test_golden.py::test_the_file_is_what_the_program_gives",
        "docs/test_golden.py::test_bleu_by_sacrebleu",
        "packaging/test_release.py::test_every_python_that_is_named_is_tested",
    ),
    "| paths such as `s3://…` in `wordorder scale` | the storage that you name |": (
        "apps/scale/test_scores.py::test_storage_that_is_no_disk",
    ),
    "| `--dask` in `wordorder scale` | the cluster that you name |": (
        "apps/scale/test_clusters.py::test_a_cluster_without_workers",
        "apps/scale/test_clusters.py::test_slurm_by_a_stand_in",
    ),
    "| `wordorder study serve` | a port on this machine, for the people you invite |": (
        "apps/study/web/test_web_security.py::test_a_guessed_token_is_refused_and_soon_not_even_looked_at",
        "apps/study/web/test_web_security.py::test_a_network_without_https_is_warned_of",
    ),
    "| `--database` in `wordorder study` | the database that you name |": (
        "apps/study/store/test_store.py::test_a_wrong_database_is_named",
    ),
    "Every reader returns data or an error that names the file, whatever bytes this file contains; `make fuzz` checks "
    "this with deliberately corrupted files, and also runs whole commands with corrupted files and arguments.": (
        "fuzzing/test_fuzz_commands.py::test_new_commands",
        "fuzzing/test_fuzz_commands.py::test_every_command_is_a_base",
        "fuzzing/test_fuzzing.py::test_what_was_found_stays_mended",
        "fuzzing/test_fuzzing.py::test_new_inputs",
        "fuzzing/test_fuzzing.py::test_the_program",
    ),
    "The server of `wordorder study` has [rules of its own](study-reference.md#what-is-refused).": (
        "apps/study/web/test_web_security.py::test_other_sites_and_other_names_are_refused",
        "apps/study/web/test_web_security.py::test_only_json_of_some_size_is_read",
        "docs/test_pages.py::test_links_lead_somewhere",
    ),
    "XML is read without entities: a file that declares entities, or refers to any, is refused, and reading it never "
    "opens another file.": ("formats/test_wmt_xml.py::test_entities_are_refused",),
    "Archives are unpacked piece by piece, and a size stated in a file is never trusted, except by Arrow itself for "
    "the batches of compressed Arrow files.": (
        "fuzzing/test_hostile_inputs.py::test_a_dictionary_that_unpacks_to_far_more",
        "fuzzing/test_hostile_inputs.py::test_a_block_that_grows_without_end",
        "fuzzing/test_hostile_inputs.py::test_a_model_that_unpacks_to_far_more",
        "fuzzing/test_hostile_inputs.py::test_a_packed_model_that_unpacks_to_far_more",
    ),
    "File names may contain any characters, and are never part of a shell command: a decoder in "
    "`wordorder nbest loop` "
    "gets them as environment variables.": (
        "fuzzing/test_hostile_inputs.py::test_files_of_any_name",
        "apps/nbest/commands/test_loop_command.py::test_nothing_in_the_name_of_a_file_is_executed",
    ),
    "Control characters in files and names do not reach your terminal: messages show them as escapes, and tables and "
    "sentences as spaces.": (
        "fuzzing/test_hostile_inputs.py::test_files_of_any_name",
        "fuzzing/test_hostile_inputs.py::test_control_characters_of_a_text_do_not_reach_the_terminal",
    ),
    "From 1.0 on, everything in this table keeps its name and its meaning until 2.0.": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
        "whole/test_stable_names.py::test_no_key_and_no_column_is_gone",
        "docs/test_golden.py::test_the_file_is_what_the_program_gives",
    ),
    "Until then, more may be added to the table.": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
    ),
    "| Python | the names in `wordorder.__all__` and their arguments, and the attributes of their objects that this "
    "documentation uses |": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
        "docs/test_pages.py::test_what_a_page_shows_is_true",
    ),
    "| command line | commands, their options, the values that an option lists, and exit codes |": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
        "whole/test_promises_files.py::test_code_0",
    ),
    "| output | the keys of JSON, the columns of TSV, and the fields of signatures |": (
        "whole/test_stable_names.py::test_no_key_and_no_column_is_gone",
    ),
    "| metrics | their names and settings |": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
    ),
    "| packages that add metrics or commands | the entry points `wordorder.metrics` and `wordorder.commands`, and what "
    "a [metric of your own](metrics.md#a-metric-of-your-own) must provide |": (
        "whole/test_plugin_package.py::test_a_package_adds_a_command",
        "whole/test_plugin_package.py::test_a_package_adds_a_metric",
        "whole/test_plugin_metrics.py::test_score_knows_them",
    ),
    "| files | models, grammars, parsers, studies and parts of a corpus that 1.0 writes can be read |": (
        "whole/test_older_files.py::test_models_give_the_same_links",
        "whole/test_older_files.py::test_grammars_and_parsers_give_the_same_parses",
        "whole/test_older_files.py::test_a_study_has_the_same_analysis",
    ),
    "Defaults are stable, too.": ("whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",),
    "The file `tests/stable_names.json` lists all these names and defaults, and every change of the code is tested "
    "against it.": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
        "whole/test_stable_names.py::test_no_key_and_no_column_is_gone",
        "whole/test_stable_names.py::test_every_command_that_prints_is_listed",
    ),
    "Everything else may change in any version: modules and functions that are not in `wordorder.__all__`, the "
    "wording of messages and help, and the look of tables, charts and pages.": (
        "whole/test_stable_names.py::test_no_name_is_gone_and_every_new_one_is_entered",
    ),
    "When an option, a metric or a Python name is renamed, the old name keeps working until 2.0, with a note that "
    "gives the new name.": (
        "whole/test_option_names.py::test_an_old_name_works_with_a_note",
        "whole/test_public_names.py::test_a_name_that_was_public_works_with_a_warning",
    ),
    "This includes the names of 0.2 that [have changed](from-0.2.md).": (
        "whole/test_public_names.py::test_the_names_that_left_are_those_of_0_2",
        "whole/test_option_names.py::test_every_other_name_leads_to_an_option_and_is_none_itself",
        "whole/test_public_names.py::test_an_old_call_gives_the_same_numbers",
    ),
    "Files written by an older version (models, grammars, studies, parts of a corpus) can be read, "
    "or are refused with "
    "a message that says what to do.": (
        "apps/scale/test_merging_results_older.py::test_results_without_checksums_are_not_believed",
        "apps/scale/test_merging_results_older.py::test_a_later_version_does_them_again",
        "whole/test_older_files.py::test_models_give_the_same_links",
        "whole/test_older_files.py::test_grammars_and_parsers_give_the_same_parses",
        "whole/test_older_files.py::test_a_study_has_the_same_analysis",
    ),
    "| Linux, x86-64, Python 3.11 to 3.14 | tested with every change |": (
        "packaging/test_release.py::test_every_python_that_is_named_is_tested",
    ),
}


def sentences(page: str) -> Iterator[str]:
    """Yield the sentences of a page and the rows of its tables, without headings, heads of tables and examples."""
    page = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", page):
        lines = [line for line in paragraph.splitlines() if line.strip() and not line.startswith("#")]
        if lines and lines[0].startswith("|"):
            yield from lines[2:]
            continue
        for item in re.split(r"\n(?=\* )", "\n".join(lines)):
            words = " ".join(item.removeprefix("* ").split())
            yield from filter(None, re.split(r"(?<=\.) (?=[A-Z`\[])", words))


def quotes() -> Iterator[tuple[str, str]]:
    """Yield every test of promises with its docstring, in one line."""
    for path in sorted(Path(__file__).parent.glob("test_promises*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{path.name}::{node.name}", " ".join((ast.get_docstring(node) or "").split())


PAGE = list(sentences((ROOT / "docs" / "promises.md").read_text(encoding="utf-8")))


def test_every_sentence_has_a_test() -> None:
    """Every sentence of this page has a test. A broken promise is a bug."""
    quoted = [quote for _, quote in quotes()]
    assert len(PAGE) > 40
    assert [one for one in PAGE if one not in ELSEWHERE and not any(one in quote for quote in quoted)] == []


def test_every_quoted_sentence_is_on_the_page() -> None:
    """Every sentence of this page has a test."""
    left = {}
    for name, quote in quotes():
        for one in sorted(PAGE, key=len, reverse=True):
            quote = quote.replace(one, "")
        left[name] = quote.strip()
    assert {name: words for name, words in left.items() if words} == {}
    assert [one for one in ELSEWHERE if one not in PAGE] == []


@pytest.mark.parametrize("name", sorted({name for names in ELSEWHERE.values() for name in names}))
def test_a_test_that_is_named_exists(name: str) -> None:
    """Every sentence of this page has a test."""
    path, _, function = name.partition("::")
    assert re.search(rf"^def {function}\(", (TESTS / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_sentences_are_told_apart() -> None:
    """Every sentence of this page has a test."""
    page = (
        "# Title\n\nOne is 1.5\nlong. `Two` ends:\n\n```sh\nx. Y\n```\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n* A. B\n  c.\n* D.\n"
    )
    assert list(sentences(page)) == ["One is 1.5 long.", "`Two` ends:", "| c | d |", "A.", "B c.", "D."]


NUMBERS = {"0.2.0": "7b63b1184af1a0c9", "0.3.0": "0e1955619ee54129", "1.0.0rc1": "0e1955619ee54129"}
"""The digest of the golden values of every version: while a version has a value, its definitions are those."""


def test_a_definition_changes_with_the_version() -> None:
    """If a definition changes, the changelog says so, and so does the signature."""
    golden = json.loads((ROOT / "docs" / "golden.json").read_text(encoding="utf-8"))
    assert golden.pop("version") == wordorder.__version__
    found = hashlib.blake2b(json.dumps(golden, sort_keys=True).encode(), digest_size=8).hexdigest()
    assert found == NUMBERS[wordorder.__version__], (
        "a golden value has changed: give it a version and a line in CHANGELOG.md"
    )
    changes = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    assert changes.startswith(wordorder.__version__)
    same = len(set(list(NUMBERS.values())[-2:])) == 1
    assert ("the same numbers" in changes) == same
    signature = wordorder.score(["a b"], ["b a"], metrics="kendall", samples=0).signature
    assert signature["version"] == wordorder.__version__


def test_limits_are_those_of_the_page() -> None:
    """| one line, or one block of up to 16,384 lines | 512 MB |
    | a JSON or XML document | 256 MB |
    | a table of judgements or scores | 1 GB |
    | an aligner or a parser | 4 GB, and at most 100 bytes for each byte of the file |"""
    assert (files.LINES_PER_BLOCK, files.LARGEST_BLOCK) == (16_384, 512 << 20)
    assert files.LARGEST_DOCUMENT == 256 << 20
    assert files.LARGEST_TABLE == 1 << 30
    assert files.LARGEST_MODEL == 4 << 30
    assert files.largest_unpacked(1000) - files.largest_unpacked(0) == 100 * 1000


def test_what_is_compiled_is_not_ours() -> None:
    """| Linux on ARM, macOS | wordorder has no compiled part of its own, and nothing is known to fail there, but we
    do not test on them |"""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["build-system"]["requires"] == ["hatchling"]  # builds a wheel for any machine
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["src/wordorder"]}
    compiled = (".so", ".pyd", ".dylib", ".c", ".pyx", ".cpp")
    assert [path for path in (ROOT / "src").rglob("*") if path.suffix in compiled] == []


def test_windows_is_not_named_as_supported() -> None:
    """| Windows | not supported, except through WSL, which counts as Linux |"""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    systems = [one for one in project["classifiers"] if one.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
