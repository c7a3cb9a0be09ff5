"""Fixed-sequence testing of a judge's thresholds in exact arithmetic, for tests/stats/agreement/cascade_test.cc.

The procedure is that of A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan and L. Lei, "Learn then test",
arXiv:2110.01052, section 4.2 with one start: hypotheses in a fixed order, each tested at the whole level, until the first
that is not rejected. The hypothesis of a threshold is that the judge agrees with people on at most the share q of the cases
that it would decide; its p is the upper tail of Binomial(cases, q), summed here as fractions, so that no digit is rounded
before the last step. The lower end of the one-sided Clopper-Pearson interval is where that tail is the level; it is
enclosed by halving, in fractions too.

Any Python 3 does; the output is kept beside this script:
    python3 fixed_sequence.py > fixed_sequence.json
"""

import json
import random
from fractions import Fraction
from math import comb


def upper_tail(count, n, share):
    """P(X >= count) for X ~ Binomial(n, share)."""
    if count <= 0:
        return Fraction(1)
    a, b = share.numerator, share.denominator
    ways = sum(comb(n, k) * a ** k * (b - a) ** (n - k) for k in range(count, n + 1))
    return Fraction(ways, b ** n)


def lower_bound(count, n, level):
    if count == 0 or n == 0:
        return 0.0
    low, high = 0, 1 << 46
    while high - low > 1:  # a double holds the rest
        middle = (low + high) // 2
        if upper_tail(count, n, Fraction(middle, 1 << 46)) <= level:
            low = middle
        else:
            high = middle
    return low / (1 << 46)


def searched(labelled, votes, share, level):
    tests = []
    for needed in range(votes, votes // 2, -1):
        decided = [agrees for given, agrees in labelled if given >= needed]
        tail = upper_tail(sum(decided), len(decided), share)
        holds = len(decided) > 0 and tail <= level
        tests.append({"votes": needed, "cases": len(decided), "agreed": sum(decided), "p": float(tail),
                      "lower": lower_bound(sum(decided), len(decided), level), "holds": holds})
        if not holds:
            break
    return tests


def main():
    draw = random.Random(2110_01052)
    rows = []
    for votes, n, share, level, wrong in [
        (5, 60, "9/10", "1/20", 0.2), (5, 250, "9/10", "1/20", 0.25), (7, 200, "4/5", "1/40", 0.3), (3, 150, "9/10", "1/10", 0.1),
        (9, 300, "3/4", "1/100", 0.4), (1, 40, "9/10", "1/20", 0), (5, 120, "9/10", "1/40", 0.02), (4, 150, "17/20", "1/20", 0.3),
        (9, 240, "4/5", "1/20", 0.5), (2, 80, "9/10", "1/10", 0.1), (7, 90, "1/2", "1/20", 0.9),
    ]:
        least = votes // 2 + 1
        labelled = []
        for _ in range(n):
            given = draw.randint(least, votes)
            unsure = (votes - given) / max(1, votes - least)
            # The fewer of its votes agree, the oftener is it wrong.
            labelled.append((given, draw.random() >= 0.02 + wrong * unsure))
        rows.append({"votes": votes, "agreement": float(Fraction(share)), "error": float(Fraction(level)),
                     "labelled": [[given, agrees] for given, agrees in labelled],
                     "tests": searched(labelled, votes, Fraction(share), Fraction(level))})
    print("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]")


main()
