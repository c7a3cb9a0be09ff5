"""Lets a Python assertion of promptfoo's score for Assay: python3 python_assert.py SETTINGS.json

SETTINGS names the file (beside it) and the function, or code that stands in for a function's body. Each line of
stdin is a question, each line of stdout its answer: docs/custom_programs.md of Assay. What the assertion prints goes
to stderr, so that it cannot pass for an answer.
"""
import importlib.util
import json
import math
import os
import re
import sys


def load(settings, directory):
    path = os.path.join(directory, settings["file"])
    if settings.get("inline"):
        with open(path, encoding="utf-8") as file:
            code = file.read()
        body = "\n".join("    " + line for line in code.split("\n")) if "\n" in code else "    return " + code
        space = {}
        exec(compile(f"import json\n\ndef main(output, context):\n{body}\n", path, "exec"), space)
        return space["main"]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("assertion", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, settings.get("function") or "get_assert")


def filled(pattern, fields):
    def value(match):
        found = fields.get(match.group(1))
        return match.group(0) if found is None else found if isinstance(found, str) else json.dumps(found)
    return re.sub(r"\{([A-Za-z0-9_.-]+)\}", value, pattern)


def context_of(settings, question):
    fields = question.get("fields") or {}
    variables = {name: fields.get(field) for name, field in settings.get("vars", {}).items() if field in fields}
    prompt = filled(settings.get("prompts", {}).get(question.get("variant") or "", ""), fields)
    meta = question.get("meta") or {}
    context = {
        "vars": variables, "prompt": prompt, "test": {"vars": variables}, "config": settings.get("config"),
        "providerResponse": {"output": question.get("output"), "latencyMs": meta.get("latency_ms"), "cost": meta.get("cost_usd")},
    }
    if "expected" in settings:
        context["expected"] = fields.get(settings["expected"])
    return context


def verdict(result, settings):
    """As promptfoo reads what an assertion gives: true or false, a number, or an object with pass, score and reason."""
    threshold = settings.get("threshold")
    inverse = bool(settings.get("inverse"))
    reason = ""
    if isinstance(result, str):
        lower = result.lower()
        result = lower == "true" if lower in ("true", "false") else json.loads(result) if result.startswith("{") else float(result)
    if isinstance(result, bool):
        passed, score = result, 1.0 if result else 0.0
    elif isinstance(result, (int, float)):
        score = float(result)
        passed = score > 0 if threshold is None else score >= threshold
    elif isinstance(result, dict):
        passed = result.get("pass", result.get("pass_"))
        score = result.get("score")
        reason = str(result.get("reason") or "")
        if not isinstance(passed, bool) or isinstance(score, bool) or not isinstance(score, (int, float)):
            raise ValueError(f"expected a boolean, a number or an object with pass, score and reason, found {result!r}")
        score = float(score)
        if threshold is not None and score < threshold:
            passed = False
    else:
        raise ValueError(f"expected a boolean, a number or an object with pass, score and reason, found {result!r}")
    if inverse:
        passed = not passed
        if score in (0.0, 1.0):
            score = 1.0 if passed else 0.0
    if not math.isfinite(score):
        raise ValueError(f"expected a finite score, found {score}")
    if not 0 <= score <= 1:
        reason = f"score {score:g}" + (": " + reason if reason else "")
        score = min(max(score, 0.0), 1.0)
    return {"score": score, "passed": passed, "reason": reason}


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    assertion = load(settings, os.path.dirname(os.path.abspath(sys.argv[1])))
    for line in sys.stdin:
        if not line.strip():
            continue
        question = json.loads(line)
        try:
            output = question.get("output")
            if settings.get("parsed") and isinstance(output, str):
                output = question["output"] = json.loads(output)
            answer = verdict(assertion(output, context_of(settings, question)), settings)
        except Exception as error:  # an assertion that throws has not passed, as in promptfoo
            answer = {"score": 0, "passed": False, "reason": f"Python code execution failed: {type(error).__name__}: {error}"}
        answers.write(json.dumps({"id": question["id"], **answer}) + "\n")
        answers.flush()


main()
