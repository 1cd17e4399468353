"""Word order as a metric of Hugging Face's ``evaluate``, loaded from this folder.

import evaluate

metric = evaluate.load("integrations/evaluate/word_order")
metric.compute(predictions=["sat the cat"], references=["the cat sat"], metrics="kendall-sqrt,pef")
"""

import datasets
import evaluate

import wordorder

_TEXT = datasets.Value("string")


class WordOrder(evaluate.Metric):
    """The order metrics of wordorder, beside the share of reference words that match."""

    def _info(self):
        return evaluate.MetricInfo(
            description="How well a translation orders its words, independently of which words it chose.",
            citation="see 'wordorder metrics NAME' for the paper of each metric",
            inputs_description=(
                "predictions: a list of translations; references: a list of references, or of lists of references, "
                "as many for each translation; metrics: names separated by commas; other arguments are those of "
                "wordorder.score, such as tokenize='zh'"
            ),
            features=[
                datasets.Features({"predictions": _TEXT, "references": datasets.Sequence(_TEXT)}),
                datasets.Features({"predictions": _TEXT, "references": _TEXT}),
            ],
        )

    def _compute(self, predictions, references, metrics="kendall-sqrt,pef,bleu", **options):
        if isinstance(references[0], str):
            references = [[reference] for reference in references]
        if len({len(given) for given in references}) > 1:
            raise ValueError("give the same number of references for each prediction")
        texts = [list(text) for text in zip(*references, strict=True)]
        scores = wordorder.score(list(predictions), texts, metrics=metrics, samples=0, **options)
        values = dict(zip(map(str, scores.metrics), scores.values[0].tolist(), strict=True))
        return {**values, "matched": float(scores.matched[0]), "signature": scores.signature}
