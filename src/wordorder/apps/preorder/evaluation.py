"""Evaluate rule sets and parsers against reference orders, and parsers that are trained on their own parses.

For targeted self-training (Katz-Brown et al. 2011; Talbot et al. 2011, §4.1), a parser is trained on a treebank and
makes several parses of each sentence in another text. For each sentence, the parse with the best reordering is added
to the treebank, and the parser is trained again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from wordorder.apps.preorder.language import RuleSet, format_head
from wordorder.apps.preorder.learning import CrossValidation
from wordorder.apps.preorder.precedence import Reorderer, order_best, reorder
from wordorder.apps.preorder.reference import Reference, order_metric
from wordorder.core.orders.ascending import mark_ascending
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Bools, Floats, Int64s, rows_of, to_column
from wordorder.core.runtime.errors import InputError, UsageError, check_choice, count_of, refuse
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics import Resampling
from wordorder.core.statistics.resampling import interval
from wordorder.core.trees.attachment_scores import attachment
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.parse_lists import ParseLists, best_trees
from wordorder.core.trees.projectivity import lift
from wordorder.linking.parsing.transition import DependencyParser, ParserOptions
from wordorder.metrics import Batch
from wordorder.report.table import Cell, Column, Table
from wordorder.scoring.inputs import GivenOrders
from wordorder.scoring.score import score
from wordorder.scoring.scores import Scores
from wordorder.scoring.worst import worst_segments

DEFAULT_METRICS = "fuzzy,kendall,kendall-sqrt,pef"


def order_systems(
    parses: Mapping[str, DependencyTrees], rule_sets: Mapping[str, RuleSet | CrossValidation], reference: Reference
) -> dict[str, Permutations]:
    """Reorder every sentence with every combination of parser and rule set.

    The result is keyed by the name of the rule set or, if there are several parsers, ``parser+rules``.
    """
    refuse(not parses or not rule_sets, "nothing to evaluate was given; expected at least one parser and one rule set")
    found = {}
    for parser, trees in parses.items():
        for name, rules in rule_sets.items():
            system = f"{parser}+{name}" if len(parses) > 1 else name
            if isinstance(rules, CrossValidation):
                found[system] = rules.reorder(trees, reference)
            else:
                found[system] = reorder(trees, rules)
    return found


def evaluate_orders(
    orders: Mapping[str, Permutations],
    reference: Reference,
    *,
    metrics: str | None = None,
    resampling: Resampling | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
    learned: CrossValidation | None = None,
) -> Scores:
    """Score new orders of the same sentences against their reference orders, with confidence intervals and tests.

    ``learned`` says how rules were learned, if any were; it becomes part of the signature.

    >>> from wordorder.core.orders import Alignment, place
    >>> from wordorder.core.trees import DependencyTree
    >>> tree = DependencyTree(("I", "eat", "fish"), (1, -1, 1), ("nsubj", "root", "obj"), ("PRON", "VERB", "NOUN"))
    >>> wanted = place(Alignment(((0, 0), (1, 2), (2, 1)), 3).column(), policy="talbot")
    >>> orders = {"none": Permutations.of(["1 2 3"]), "ours": Permutations.of(["1 3 2"])}
    >>> scores = evaluate_orders(orders, Reference.of(wanted, tree.column()), metrics="fuzzy,kendall")
    >>> scores.values.round(3).tolist()
    [[0.0, 0.667], [1.0, 1.0]]
    """
    compared = {name: reference.compare(order) for name, order in orders.items()}
    origin = {"order": "preordered", "policy": reference.places.policy, "instances": reference.instances}
    if learned is not None:
        rule = learned.learner
        origin |= {"learned": f"{rule.metric}:folds={learned.folds}:least={rule.least}:parts={rule.parts}"}
    inputs = GivenOrders(compared, origin=origin)
    return score(inputs, metrics=metrics or DEFAULT_METRICS, resampling=resampling, baseline=baseline, test=test)


def parser_table(parses: Mapping[str, DependencyTrees], gold: DependencyTrees | None = None) -> Table:
    """Return a table of parsing accuracy (Talbot et al. 2011, Table 8) and of the number of trees with crossing arcs.

    It also counts the words that are attached to a higher head before reordering, to remove crossing arcs.
    """
    columns: list[Column | str] = []
    rows = []
    for parser, trees in parses.items():
        lifted, found = lift(trees)[1], accuracy(trees, gold)
        columns = [Column("parser", "left"), *found, "crossing trees", "words moved up"]
        rows.append([parser, *found.values(), int(np.count_nonzero(lifted)), int(lifted.sum())])
    return Table.of("parsers", columns, rows)


def accuracy(trees: DependencyTrees, gold: DependencyTrees | None) -> dict[str, float | None]:
    """Return the accuracy of parses compared with gold trees; without gold trees, the result is empty.

    The accuracy for labels or tags is None if none of them agrees with the gold trees.
    """
    if gold is None:
        return {}
    found = attachment(trees, gold)
    return {
        "UAS": found.uas,
        "LAS": found.las or None,
        "LAS without subtypes": found.universal_las or None,
        "part of speech": found.pos or None,
    }


def find_cautions(
    rule_sets: Mapping[str, RuleSet | CrossValidation], parses: Mapping[str, DependencyTrees]
) -> Iterator[str]:
    """Yield warnings about crossing arcs, and about rule sets whose labels or tags do not occur in the trees."""
    for parser, trees in parses.items():
        lifted = lift(trees)[1]
        if lifted.any():
            crossing = f"{parser}: {np.count_nonzero(lifted)} of {len(trees)} trees have crossing arcs"
            verb = "word is" if lifted.sum() == 1 else "words are"
            yield f"{crossing}; {lifted.sum()} {verb} attached higher"
        labels = set(trees.strings.take(to_column(np.unique(trees.labels))).to_pylist())
        labels |= {label.partition(":")[0] for label in labels}
        tags = set(trees.strings.take(to_column(np.union1d(trees.tags, trees.fine_tags))).to_pylist())
        for name, rules in rule_sets.items():
            if not isinstance(rules, RuleSet):
                continue
            for what, named, found in (("label", rules.named("labels"), labels), ("tag", rules.named("tags"), tags)):
                if named and found and named.isdisjoint(found):
                    caution = f"{name} names no {what} that {parser} has ({', '.join(sorted(found)[:3])} …)"
                    yield f"warning: {caution}; much of it does not apply"


FIRST, CHOSEN = "likeliest parse", "chosen parse"


@dataclass(frozen=True, eq=False)
class Selection:
    """The parses that were chosen, one for each sentence that has parses.

    ``parses`` are their indices among all parses of all sentences, and ``ranks`` says how many parses of the same
    sentence are likelier. ``likeliest`` and ``chosen`` are the trees of the likeliest and the chosen parses;
    ``scores`` compares the orders to which they lead.
    """

    parses: Int64s
    ranks: Int64s
    likeliest: DependencyTrees
    chosen: DependencyTrees
    scores: Scores

    def table(self, gold: DependencyTrees | None = None) -> Table:
        """Return a table of the scores of likeliest and chosen parses and, given gold trees, their accuracy."""
        low, high = self.scores.intervals
        columns: list[Column | str] = []
        rows: list[list[Cell | str | float | None]] = []
        for s, (name, trees) in enumerate(((FIRST, self.likeliest), (CHOSEN, self.chosen))):
            values, found = zip(self.scores.values[s], low[s], high[s], strict=True), accuracy(trees, gold)
            columns = [Column("parse", "left"), *map(str, self.scores.metrics), *found]
            rows.append([name, *(Cell(value, (a, b)) for value, a, b in values), *found.values()])
        other = int(np.count_nonzero(self.ranks))
        note = f"{other} of {len(self.parses)} sentences get a parse other than the likeliest"
        if other:
            note += f" (on average, number {1 + self.ranks[self.ranks > 0].mean():.1f} in the list)"
        return Table.of("", columns, rows, notes=[note], signature=self.scores.signature)


def select_parses(
    parses: ParseLists[DependencyTrees],
    rules: RuleSet,
    reference: Reference,
    *,
    metric: str = "fuzzy",
    metrics: str | None = None,
    resampling: Resampling | None = None,
) -> Selection:
    """Choose, for each sentence, the parse whose reordering scores best under ``metric``.

    Of several equally good parses, the likeliest is chosen; a sentence without a reference order keeps its likeliest
    parse. ``metrics`` are the metrics in the table of scores.
    """
    counts = np.diff(parses.offsets)
    if len(parses) != len(reference):
        raise InputError(
            f"expected a list of parses for each reference order, found {count_of(len(parses), 'list')} for "
            f"{count_of(len(reference), 'reference order')}"
        )
    missing = np.flatnonzero((counts == 0) & (np.diff(reference.places.offsets) > 0))
    if len(missing):
        raise InputError(f"sentence {missing[0] + 1} has no parses; expected at least one")
    rows = np.repeat(np.arange(len(parses)), counts)
    compared = reference.take(rows, parses.trees).compare(reorder(parses.trees, rules))
    scorer = order_metric(metric)
    values = scorer.segment(scorer.statistics(Batch([compared]))[:, 0])
    values = np.where(np.isnan(values), -np.inf, values)
    # In each sentence the best score comes first, then the likeliest parse, then the earlier one.
    by_score = np.lexsort((-parses.log_probabilities, -values, rows))
    by_chance = np.lexsort((-parses.log_probabilities, rows))
    firsts = parses.offsets[:-1][counts > 0]
    chosen, likeliest = by_score[firsts], by_chance[firsts]
    place = np.empty(len(rows), dtype=np.int64)
    place[by_chance] = np.arange(len(rows)) - parses.offsets[rows]
    trees = {FIRST: parses.trees.take(likeliest), CHOSEN: parses.trees.take(chosen)}
    known = reference.take(np.flatnonzero(counts), trees[FIRST])
    orders = {name: reorder(each, rules) for name, each in trees.items()}
    chosen_metrics = metrics or ",".join(dict.fromkeys([metric, "fuzzy", "kendall"]))
    scores = evaluate_orders(orders, known, metrics=chosen_metrics, resampling=resampling, baseline=FIRST)
    return Selection(chosen, place[chosen], trees[FIRST], trees[CHOSEN], scores)


BEFORE, UNTARGETED, TARGETED = "before", "self-trained", "targeted"


@dataclass(frozen=True)
class SelfTraining:
    """Settings for training parsers on their own parses, and for evaluating them by cross-validation.

    The parser makes ``nbest`` parses of each sentence, and the one whose reordering scores best under ``metric`` is
    chosen. Each of the ``folds`` is parsed by parsers that were not trained on it. Of the other sentences, the
    proportion ``share`` forms the treebank; of the rest, only the words and reference orders are used.
    """

    options: ParserOptions = ParserOptions()
    nbest: int = 50
    metric: str = "fuzzy"
    folds: int = 10
    share: float = 0.5

    def __post_init__(self) -> None:
        if self.folds < 2 or self.nbest < 1:
            raise UsageError(f"expected at least 2 folds and 1 parse per sentence, not {self.folds} and {self.nbest}")
        if not 0 < self.share < 1:
            raise UsageError(f"the share of sentences in the treebank must be between 0 and 1, not {self.share}")

    def choose(
        self, parser: DependencyParser, text: DependencyTrees, reference: Reference, rules: RuleSet
    ) -> DependencyTrees:
        """Parse the sentences of ``text``, ignoring its trees, and return the parses with the best reordering."""
        lists = parser.parse(text, n=self.nbest)
        scores = Resampling(samples=0)
        return select_parses(lists, rules, reference, metric=self.metric, resampling=scores).chosen

    def try_folds(self, trees: DependencyTrees, reference: Reference, rules: RuleSet) -> dict[str, DependencyTrees]:
        """Return the parses of all sentences by three parsers, which are trained anew for each fold.

        The first is trained only on the treebank. For the second, its likeliest parses of other sentences are added
        to the training trees; for the third, those of its parses with the best reordering are added.
        """
        if len(trees) < 2 * self.folds:
            raise InputError(f"{self.folds} folds need at least {2 * self.folds} sentences, found {len(trees)}")
        found: dict[str, list[DependencyTrees]] = {BEFORE: [], UNTARGETED: [], TARGETED: []}
        parts = self.split(len(trees))
        for held_out, known, other in progress(parts, label="self-training", total=len(parts), unit=" folds"):
            treebank, text = trees.take(known), trees.take(other)
            first = DependencyParser.learn(treebank, self.options)
            likeliest = best_trees(first.parse(text))
            chosen = self.choose(first, text, reference.take(other, text), rules)
            parsers = {BEFORE: first}
            for name, added in ((UNTARGETED, likeliest), (TARGETED, chosen)):
                both = DependencyTrees.concatenate([treebank, added])
                parsers[name] = DependencyParser.learn(both, self.options)
            for name, parser in parsers.items():
                found[name].append(best_trees(parser.parse(trees.take(held_out))))
        order = np.argsort(np.concatenate([held_out for held_out, _, _ in parts]))
        return {name: DependencyTrees.concatenate(each).take(order) for name, each in found.items()}

    def split(self, count: int) -> list[tuple[Int64s, Int64s, Int64s]]:
        """Return, for each fold, the row indices of the test sentences, the treebank, and the remaining sentences."""
        rng = np.random.default_rng(self.options.seed)
        rows = np.arange(count)
        parts = []
        for fold in range(self.folds):
            rest = rng.permutation(rows[rows % self.folds != fold])
            cut = min(max(1, round(self.share * len(rest))), len(rest) - 1)
            parts.append((rows[rows % self.folds == fold], np.sort(rest[:cut]), np.sort(rest[cut:])))
        return parts


KINDS = ("word", "tag", "label")
_RULES, _BEST = "rules", "best order of the tree"


@dataclass(frozen=True, eq=False)
class Blame:
    """The word orders that a rule set produces for parsed sentences, and the reference orders of these sentences."""

    trees: DependencyTrees
    rules: RuleSet
    reference: Reference
    orders: Permutations

    @classmethod
    def of(cls, trees: DependencyTrees, rules: RuleSet, reference: Reference) -> "Blame":
        """Reorder the trees by the rules, and return the new orders together with the reference orders."""
        return cls(trees, rules, reference, reorder(trees, rules))

    def misplaced_table(self, kind: str, *, count: int = 20, least: int = 1) -> Table:
        """Return a table of the words, tags or labels (``kind``) that are most often misplaced.

        ``rate`` is the share of occurrences that are misplaced, and ``lift`` is this rate divided by the rate over
        all words. Entries that occur fewer than ``least`` times are left out. Repeated words, and words that may be
        in any order, are treated as in :meth:`Reference.compare`.
        """
        check_choice(kind, KINDS, "kind of blame")
        words, wrong = self.misplaced()
        strings = self.trees.strings.to_pylist()
        column = {"word": self.trees.words, "tag": self.trees.tags, "label": self.trees.labels}[kind]
        names = [strings[number].lower() if kind == "word" else strings[number] for number in column[words].tolist()]
        found, group = np.unique(np.array(names, dtype=object), return_inverse=True)
        total, bad = np.bincount(group), np.bincount(group, weights=wrong).astype(np.int64)
        overall = wrong.mean() if len(wrong) else np.nan
        ranked = sorted(np.flatnonzero((total >= least) & (bad > 0)).tolist(), key=lambda g: (-bad[g], found[g]))
        top = ranked[:count]
        rows = [[str(found[g]), int(bad[g]), int(total[g]), rate := bad[g] / total[g], rate / overall] for g in top]
        columns: list[Column | str] = [
            Column(kind, "left"),
            "misplaced",
            "occurs",
            "rate",
            Column("lift", number=".2f"),
        ]
        share = f"{wrong.sum()} of {len(wrong)} words are misplaced ({100 * overall:.1f}%)"
        note = f"{share}: the fewest that have to be moved" if len(wrong) else "there are no words to judge"
        return Table.of(f"misplaced by {kind}", columns, rows, notes=[note])

    def misplaced(self) -> tuple[Int64s, Bools]:
        """Return the indices of all words with a position in the reference order, and whether each is misplaced."""
        starts = self.trees.offsets[rows_of(self.trees.offsets)]
        words = starts + self.orders.ranks
        words = words[self.reference.places.places[words] >= 0]
        return words, ~mark_ascending(self.reference.compare(self.orders))

    def rule_table(self, *, metric: str = "fuzzy", resampling: Resampling | None = None) -> Table:
        """Return a table of each rule's gain: the score of the rule set minus its score without the rule."""
        without = {str(number): self.rules.without(number) for number in range(len(self.rules))}
        orders = {_RULES: self.orders, **{name: reorder(self.trees, rules) for name, rules in without.items()}}
        scores = evaluate_orders(orders, self.reference, metrics=metric, resampling=resampling)
        heads, moved = self._work()
        rows: list[list[Cell | str | int]] = []
        for number, rule in enumerate(self.rules):
            gain = scores.values[0, 0] - scores.values[number + 1, 0]
            spread = _spread(scores.replicates[:, 0, 0] - scores.replicates[:, number + 1, 0])
            counts = int(heads[number]), int(moved[number])
            rows.append([rule.line or number + 1, format_head(rule), *counts, Cell(gain, spread)])
        columns: list[Column | str] = [
            "line",
            Column("rule for", "left"),
            "heads",
            "reordered",
            Column("gain", number=".4f"),
        ]
        whole = "undefined" if np.isnan(scores.values[0, 0]) else f"{scores.values[0, 0]:.3f}"
        against = "against the set without the rule, whose heads go to the next rule that fits"
        notes = [f"gain in {scores.metrics[0]} {against}; the whole set: {whole}"]
        title = f"rules of {self.rules.name}, each switched off in turn"
        return Table.of(title, columns, rows, notes=notes, signature=scores.signature)

    def _work(self) -> tuple[Int64s, Int64s]:
        """Return two counts for each rule: the heads to which it applies, and those of them that it reorders.

        Only heads with children are counted.
        """
        ready = Reorderer(self.trees, self.rules.named("forms"))
        trees, placed = ready.trees, ready.place(self.rules)
        children = np.flatnonzero(trees.heads >= 0)
        parents = (trees.offsets[rows_of(trees.offsets)] + trees.heads)[children]
        children = children[order := np.argsort(parents, kind="stable")]  # siblings are adjacent, in source order
        parents = parents[order]
        places = placed.places[children]
        sides = (places > placed.head_places[parents]) != (children > parents)
        siblings = parents[1:] == parents[:-1]
        turned = (places[1:] < places[:-1]) | ((places[1:] == places[:-1]) & placed.backwards[children[1:]])
        heads, moved = np.unique(parents), np.union1d(parents[sides], parents[1:][siblings & turned])
        # entry 0 counts the heads without a rule
        counts = [np.bincount(placed.rules[each] + 1, minlength=len(self.rules) + 1)[1:] for each in (heads, moved)]
        return counts[0], counts[1]

    def loss_table(self, *, metrics: str | None = None, resampling: Resampling | None = None) -> Table:
        """Return a table that splits the loss under each metric into the loss due to rules and that due to the parse.

        The loss due to the parse is what remains if the children of each head are in their best order, the one with
        the fewest pairs of words in the wrong order. Under metrics other than ``kendall``, an even better order may
        exist, so this loss is an upper bound.
        """
        orders = {_RULES: self.orders, _BEST: order_best(self.trees, self.reference.places)}
        scores = evaluate_orders(orders, self.reference, metrics=metrics, resampling=resampling)
        rows: list[list[Cell | str]] = []
        for m, metric in enumerate(scores.metrics):
            system, top = scores.values[:, m]
            by_rules = Cell(top - system, _spread(scores.replicates[:, 1, m] - scores.replicates[:, 0, m]))
            by_parse = Cell(1 - top, _spread(1 - scores.replicates[:, 1, m]))
            rows.append([str(metric), Cell(system), Cell(top), by_rules, by_parse])
        columns: list[Column | str] = [Column("metric", "left"), _RULES, _BEST, "lost to rules", "lost to the parse"]
        title = f"{self.rules.name}: rules or parse?"
        return Table.of(title, columns, rows, signature=scores.signature)

    def show_worst(self, *, count: int = 10, metric: str = "fuzzy") -> str:
        """Return a text that shows the worst sentences in three orders: source, after the rules, and reference."""
        scores = evaluate_orders({_RULES: self.orders}, self.reference, metrics=metric, resampling=Resampling(0))
        values = scores.segment_scores(_RULES, scores.metrics[0])
        lines = []
        for row in worst_segments(np.where(values < 1, values, np.nan), count):  # without perfect ones
            words = self.trees[row].words
            lines += [
                f"sentence {row + 1}  {scores.metrics[0]} {values[row]:.3f}",
                f"  source     {' '.join(words)}",
                f"  rules      {' '.join(words[word] for word in self.orders[row].ranks)}",
                f"  reference  {self.reference.places.written(row, words)}",
                "",
            ]
        return "\n".join(lines) + "\n" if lines else ""


def _spread(replicates: Floats) -> tuple[float, float]:
    low, high = interval(replicates)
    return float(low), float(high)
