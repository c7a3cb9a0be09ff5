"""Random data and their reference values from scikit-learn, for tests/stats:

    retrieval.json    searches: precision, recall, F1, F2 of the sets; reciprocal rank, average precision,
                      precision, recall and NDCG at k of the ranking
    multilabel.json   sets of labels: precision, recall, F1 of each label, macro, micro; exact match
    router.json       one label a case: accuracy, kappa, precision, recall, F1, F2 of each label, macro, weighted

null is an undefined value. The stored files were made with Debian 12's Python 3.11.2, scikit-learn 1.2.1
(python3-sklearn 1.2.1+dfsg-1), NumPy 1.24.2 and SciPy 1.10.1. The tests need none of them; to make the files again:

    python3 tests/data/components/generate.py

with any Python that has scikit-learn. Beware that Debian's package brings in Boost 1.74 (through python3-scipy and
python3-pythran), which conflicts with the libboost1.81-dev that Assay is built with: install it elsewhere. The
generator of random numbers is Python's own with a fixed seed, so the data are the same everywhere.

zero_division=nan came with scikit-learn 1.3. Here a value is undefined if it changes with zero_division (0 or 1),
which is what decides it there too; averages over the labels that have a value are taken from the values per label.
"""

import json
import pathlib
import random

import numpy as np
import sklearn
from sklearn import metrics

KS = [1, 3, 5, 10, 20]
HERE = pathlib.Path(__file__).parent


def unless_divided_by_zero(score):
    """The figures that score(zero_division) gives, None where the choice of zero_division shows."""
    low, high = (np.atleast_1d(score(choice)) for choice in (0, 1))
    return [float(a) if a == b else None for a, b in zip(low, high)]


def average(values, weights=None):
    """Over the values that are defined; None if there are none, or if they have no weight."""
    weights = [1] * len(values) if weights is None else weights
    defined = [(value, weight) for value, weight in zip(values, weights) if value is not None]
    total = sum(weight for _, weight in defined)
    return sum(value * weight for value, weight in defined) / total if total else None


def figures(expected, actual, betas, **options):
    """precision, recall and F_beta as lists, one entry for each label (or one, with average="binary" or "micro")."""
    found = {
        "precision": unless_divided_by_zero(
            lambda choice: metrics.precision_score(expected, actual, zero_division=choice, **options)),
        "recall": unless_divided_by_zero(
            lambda choice: metrics.recall_score(expected, actual, zero_division=choice, **options)),
    }
    for beta in betas:
        found[f"f{beta}"] = unless_divided_by_zero(
            lambda choice: metrics.fbeta_score(expected, actual, beta=beta, zero_division=choice, **options))
    return found


def first_of(found):
    return {name: values[0] for name, values in found.items()}


# Retrieval


def ndcg(hits, missing, k):
    """Wanted things that were not returned stand behind so many others that they are never among the first k."""
    gains = hits + [0] * max(KS) + [1] * missing
    return float(metrics.ndcg_score([gains], [list(range(len(gains), 0, -1))], k=k))


def reciprocal_rank(hits):
    """With a single true label, the average precision of a ranking of labels is 1 / rank."""
    if 1 not in hits:
        return 0.0
    only_first = [int(place == hits.index(1)) for place in range(len(hits))] + [0]
    scores = list(range(len(only_first), 0, -1))
    return float(metrics.label_ranking_average_precision_score([only_first], [scores]))


def average_precision(hits, expected):
    if 1 not in hits:
        return 0.0
    of_the_hits = metrics.average_precision_score(hits, list(range(len(hits), 0, -1)))
    return float(of_the_hits * sum(hits) / expected)


def at(k, hits, missing):
    """Precision and recall if the first k places are what was returned; places beyond the end are misses."""
    places = hits + [0] * (k - len(hits))
    truth = places + [1] * missing
    claim = [int(place < k) for place in range(len(truth))]
    return metrics.precision_score(truth, claim), metrics.recall_score(truth, claim, zero_division=0)


def search(expected, returned):
    unique = list(dict.fromkeys(returned))
    everything = sorted(set(expected) | set(unique))
    # One thing that is neither wanted nor returned keeps scikit-learn going where there is nothing else.
    truth = [int(thing in expected) for thing in everything] + [0]
    claim = [int(thing in unique) for thing in everything] + [0]
    row = {"expected": expected, "returned": returned}
    row |= first_of(figures(truth, claim, (1, 2), average="binary"))
    if not expected:
        undefined = [None] * len(KS)
        return row | {"reciprocal_rank": None, "average_precision": None, "precision_at": undefined,
                      "recall_at": undefined, "ndcg_at": undefined}
    hits = [int(thing in expected) for thing in unique]
    missing = len(expected) - sum(hits)
    row["reciprocal_rank"] = reciprocal_rank(hits)
    row["average_precision"] = average_precision(hits, len(expected))
    row["precision_at"] = [float(at(k, hits, missing)[0]) for k in KS]
    row["recall_at"] = [float(at(k, hits, missing)[1]) for k in KS]
    row["ndcg_at"] = [ndcg(hits, missing, k) for k in KS]
    return row


def searches(source):
    things = [f"u{number}" for number in range(60)]

    def some(most):
        return source.sample(things, source.randint(1, most))

    def ranking(expected, length, skill):
        """Without repetition; each place holds a wanted thing with probability skill, while there are any."""
        wanted = source.sample(expected, len(expected))
        others = source.sample([thing for thing in things if thing not in expected], length)
        return [wanted.pop() if wanted and source.random() < skill else others.pop() for _ in range(length)]

    def repeated(returned):
        again = list(returned)
        for thing in source.choices(returned, k=source.randint(1, 4)):
            again.insert(source.randint(again.index(thing) + 1, len(again)), thing)
        return again

    rows = [([], []), ([], some(5)), ([], some(25)), (some(1), []), (some(8), [])]
    for skill in (0, 0, 0.5, 1, 1):
        one = some(1)
        rows.append((one, ranking(one, 5, skill)))
    for length in (1, 2, 4, 9, 19, 20, 21, 25):  # around the ks
        for skill in (0.1, 0.3, 0.7):
            expected = some(8)
            rows.append((expected, ranking(expected, length, skill)))
    for _ in range(16):
        expected = some(6)
        rows.append((expected, repeated(ranking(expected, source.randint(2, 14), 0.4))))
    for skill in (0.2, 0.5, 0.9):  # more wanted than the largest k
        expected = source.sample(things, 24)
        rows.append((expected, ranking(expected, 22, skill)))
    for _ in range(4):  # as good as can be, and the worst order
        expected = some(7)
        rows.append((expected, source.sample(expected, len(expected))))
        rows.append((expected, ranking(expected, 12, 0) + expected))
    return [search(expected, returned) for expected, returned in rows]


# Sets of labels


def label_sets(labels, cases):
    def indicators(side):
        # The last column is a label that nobody uses: a single column would be read as a choice between two classes.
        return np.array([[int(label in case[side]) for label in labels] + [0] for case in cases])

    expected, actual = indicators(0), indicators(1)
    each = figures(expected, actual, (1,), labels=list(range(len(labels))), average=None)
    return {
        "labels": labels,
        "cases": cases,
        "each": each,
        "macro": {name: average(values) for name, values in each.items()},
        "micro": first_of(figures(expected, actual, (1,), average="micro")),
        "exact_match": float(metrics.accuracy_score(expected, actual)),
    }


def sets_of_labels(source):
    def cases(expected_labels, actual_labels, number, skill, share=0.35):
        drawn = []
        for _ in range(number):
            expected = [label for label in expected_labels if source.random() < share]
            actual = [label for label in actual_labels
                      if (label in expected if source.random() < skill else source.random() < share)]
            drawn.append([expected, actual])
        return drawn

    labels = ["illegal", "pii", "political", "style", "tone"]
    rows = [
        label_sets(labels, cases(labels, labels, 12, 0.8)),
        label_sets(labels, cases(labels, labels, 12, 0.2)),
        label_sets(labels, cases(labels, labels[:3], 8, 0.7)),  # style and tone are never claimed
        label_sets(labels, cases(labels[2:], labels, 8, 0.5)),  # illegal and pii are never expected
        label_sets(labels, cases(labels[1:3], labels[2:4], 8, 0.6, 0.6)),  # tone and illegal are neither
        label_sets(labels[:2], cases(labels[:2], labels[:2], 12, 0.6, 0.2)),  # mostly empty sets
        label_sets(labels[:1], cases(labels[:1], labels[:1], 9, 0.6, 0.5)),
        label_sets(labels[:1], [[["illegal"], []], [[], []]]),
        label_sets(labels[:1], [[[], ["illegal"]], [[], []]]),
        label_sets(labels[:1], [[[], []]]),
        label_sets(labels, [[["pii", "tone"], ["pii"]]]),
        label_sets(labels, [[labels, labels], [[], []], [labels[:2], labels[:2]]]),
    ]
    defined = {(row["each"]["precision"][i] is not None, row["each"]["recall"][i] is not None)
               for row in rows for i in range(len(row["labels"]))}
    assert defined == {(True, True), (True, False), (False, True), (False, False)}
    return rows


# A router


def router(source):
    both = ["benefits", "health", "passport", "tax"]
    only_expected, only_actual = ["driving", "visa"], ["none_of_these", "schools"]
    expected = source.choices(both + only_expected, weights=(8, 4, 6, 10, 2, 3), k=60)
    actual = [label if label in both and source.random() < 0.6 else source.choice(both + only_actual)
              for label in expected]
    labels = sorted(set(expected) | set(actual))
    assert labels == sorted(both + only_expected + only_actual)
    assert not set(only_expected) & set(actual) and not set(only_actual) & set(expected)
    each = figures(expected, actual, (1, 2), labels=labels, average=None)
    support = [expected.count(label) for label in labels]
    return {
        "expected": expected,
        "actual": actual,
        "labels": labels,
        "accuracy": float(metrics.accuracy_score(expected, actual)),
        "cohen_kappa": float(metrics.cohen_kappa_score(expected, actual)),
        "each": each,
        "macro": {name: average(values) for name, values in each.items()},
        "weighted": {name: average(values, support) for name, values in each.items()},
    }


def write(name, **content):
    """Compact, with a line for each entry of a list of objects."""
    def text(value):
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    made_with = f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}"
    members = [f'"made_with":{text(made_with)}']
    for key, value in content.items():
        rows = isinstance(value, list) and isinstance(value[0], dict)
        members.append(text(key) + ":" + ("[\n" + ",\n".join(map(text, value)) + "\n]" if rows else text(value)))
    (HERE / name).write_text("{" + ",\n".join(members) + "}\n")


def main():
    write("retrieval.json", k=KS, searches=searches(random.Random(20261101)))
    write("multilabel.json", sets=sets_of_labels(random.Random(20261102)))
    write("router.json", **router(random.Random(20261103)))


main()
