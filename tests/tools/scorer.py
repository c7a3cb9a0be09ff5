"""A scoring program that behaves or misbehaves as each question asks ("do"); with a number as its argument it gathers
so many questions and answers them in reverse order. Each reply names the process (pid)."""
import json
import os
import sys
import time


def write(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(question):
    asked, do = question["id"], question.get("do", "score")
    if do == "crash":
        sys.stderr.write("no reference\n")
        sys.exit(3)
    if do == "leave":  # answers, and is gone
        write(json.dumps({"id": asked, "score": 1}))
        sys.exit(0)
    if do == "hang":
        time.sleep(3600)
    if do == "silent":
        return
    if do == "say":
        return write(question["text"].replace("ID", asked))
    if do == "talk":
        write("now scoring")
    if do == "twice":
        write(json.dumps({"id": asked, "score": 0.25}))
    if do == "flood":
        while True:
            write("y")
    if do == "complain":
        sys.stderr.write("x" * 3_000_000 + "\nthe end\n")
        sys.exit(5)
    if do == "long":
        return write("z" * 3_000_000)
    if do == "show":
        return write(json.dumps({"id": asked, "reason": os.environ[question["text"]], "question": question}))
    write(json.dumps({"id": int(asked) if do == "number" else asked, "score": question.get("score", 0.5), "pid": os.getpid()}))


gathered = []
for line in sys.stdin:
    gathered.append(json.loads(line))
    if len(sys.argv) > 1 and len(gathered) < int(sys.argv[1]):
        continue
    for question in reversed(gathered):
        answer(question)
    gathered = []
