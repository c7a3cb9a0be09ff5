"""Edits (insert, delete, replace) between the output and the expected text, by UTF-16 units as promptfoo counts them."""


def units(text):
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i:i + 2] for i in range(0, len(raw), 2)]


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


def get_assert(output, context):
    edits = distance(units(output), units(str(context["expected"])))
    most = context["config"]["edits"]
    return {"pass": edits <= most, "score": 1 if edits <= most else 0, "reason": f"{edits} edits; allowed: {most}"}
