"""Scores answers for Assay: one JSON line in, one JSON line out, until standard input ends.

Here: how much of the reference's wording is in the answer, and whether the answer keeps to 120 words.
Try it: echo '{"id": "1", "fields": {"reference": "within 14 days"}, "output": "You have 14 days."}' | python3 score.py
"""
import json
import sys


def words(text):
    return {word.strip(".,;:!?").lower() for word in str(text).split()}


def score(question):
    wanted, said = words(question["fields"]["reference"]), words(question["output"])
    missing = sorted(wanted - said)
    covered = 1 - len(missing) / len(wanted) if wanted else 1
    short = 1 if len(str(question["output"]).split()) <= 120 else 0
    return {"score": covered, "scores": {"covered": covered, "short": short},
            "reason": "all is said" if not missing else "missing: " + ", ".join(missing)}


for line in sys.stdin:
    question = json.loads(line)
    try:
        reply = score(question)
    except Exception as error:  # costs this answer, and no other
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"id": question["id"], **reply}), flush=True)
