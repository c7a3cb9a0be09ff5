"""Reference values for tests/stats, from SciPy and scikit-learn.

Run once with any Python that has both; the output is kept beside this script:
    python3 make_reference.py > reference.json
"""

import json
import random

import scipy
import sklearn
from scipy import stats
from sklearn import metrics


def proportions():
    rows = []
    for count, n in [(0, 1), (1, 1), (0, 5), (3, 5), (9, 10), (1, 29), (15, 148), (81, 263), (500, 1000), (1, 100000)]:
        for level in (0.9, 0.95, 0.99):
            wilson = stats.binomtest(count, n).proportion_ci(level, method="wilson")
            exact = stats.binomtest(count, n).proportion_ci(level, method="exact")
            tail = (1 - level) / 2
            posterior = stats.beta(count + 0.5, n - count + 0.5)
            rows.append({
                "count": count, "n": n, "level": level,
                "wilson": [wilson.low, wilson.high],
                "clopper_pearson": [exact.low, exact.high],
                "jeffreys": [0.0 if count == 0 else posterior.ppf(tail), 1.0 if count == n else posterior.ppf(1 - tail)],
            })
    return rows


def means(source):
    rows = []
    for n in (2, 3, 10, 100):
        values = [round(source.gauss(3, 1.5), 3) for _ in range(n)]
        mean = sum(values) / n
        error = stats.sem(values)
        low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=error)
        rows.append({"values": values, "mean": mean, "ci": [low, high], "sem": error,
                     "sample_sd": float(stats.tstd(values)), "median": float(sorted(values)[n // 2]) if n % 2 else
                     (sorted(values)[n // 2 - 1] + sorted(values)[n // 2]) / 2})
    return rows


def matrices(source):
    tables = []
    for labels, n, skill in ((["no", "yes"], 40, 0.7), (["a", "b", "c"], 60, 0.6), (list("stuvwxyz"), 500, 0.5)):
        expected = [source.choices(labels, weights=range(1, len(labels) + 1))[0] for _ in range(n)]
        actual = [e if source.random() < skill else source.choice(labels) for e in expected]
        both = sorted(set(expected) | set(actual))
        assert both == labels and set(actual) == set(labels) and set(expected) == set(labels)
        averages = {}
        for average in ("weighted", "macro", "micro"):
            averages[average] = {
                "precision": metrics.precision_score(expected, actual, average=average),
                "recall": metrics.recall_score(expected, actual, average=average),
                "f1": metrics.f1_score(expected, actual, average=average),
                "f2": metrics.fbeta_score(expected, actual, beta=2, average=average),
            }
        tables.append({
            "expected": expected, "actual": actual, "labels": both,
            "rows": metrics.confusion_matrix(expected, actual, labels=both).tolist(),
            "accuracy": metrics.accuracy_score(expected, actual),
            "balanced_accuracy": metrics.balanced_accuracy_score(expected, actual),
            "cohen_kappa": metrics.cohen_kappa_score(expected, actual),
            "matthews_correlation": metrics.matthews_corrcoef(expected, actual),
            "averages": averages,
            "per_label": {
                "precision": metrics.precision_score(expected, actual, average=None, labels=both).tolist(),
                "recall": metrics.recall_score(expected, actual, average=None, labels=both).tolist(),
                "f1": metrics.f1_score(expected, actual, average=None, labels=both).tolist(),
                "f2": metrics.fbeta_score(expected, actual, beta=2, average=None, labels=both).tolist(),
            },
        })
    return tables


def main():
    source = random.Random(20260901)
    print(json.dumps({
        "made_with": f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}",
        "proportions": proportions(),
        "means": means(source),
        "matrices": matrices(source),
    }, separators=(",", ":")))


main()
