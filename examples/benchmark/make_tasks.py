#!/usr/bin/env python3
"""Writes the expected outputs of tasks/*.yaml: builds both databases and asks truth/<task>.sql once per variation.
Beside them open_tickets.json: the open tickets as a table that a PromptQL service can be given along.

  make_tasks.py           writes them into the task files
  make_tasks.py --check   changes nothing; fails if a file is out of date or something about the data is wrong

Nothing but the standard library is needed. Databases are made in a temporary folder and thrown away.
"""

import json
import pathlib
import re
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATABASES = {"support": "support.sql", "control": "control_plane.sql"}
SHARED_PART = re.compile(r"^-- Shared part:.*^-- End of the shared part\.$", re.DOTALL | re.MULTILINE)
# The layout of our own task files: one parameter in braces, and below it the output as JSON, which is YAML too.
VARIATION = re.compile(r'^    parameters: \{(\w+): "?([^"}]+)"?\}\n    expected_output: ', re.MULTILINE)


def read(name):
    return (HERE / name).read_text(encoding="utf-8")


def build(folder):
    """A connection with both databases attached and facts.sql run."""
    connection = sqlite3.connect(":memory:")
    for name, script in DATABASES.items():
        file = folder / f"{name}.db"
        made = sqlite3.connect(file)
        made.executescript(read(script))
        made.close()
        connection.execute(f"ATTACH ? AS {name}", [str(file)])
    connection.executescript(read("truth/facts.sql"))
    return connection


def truth(connection, task, parameters):
    """A number if the query gives a single value, else a list of objects."""
    cursor = connection.execute(read(f"truth/{task}.sql"), parameters)
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    if len(names) == 1 and len(rows) == 1:
        return rows[0][0]
    return [dict(zip(names, row)) for row in rows]


def written(value):
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join("      " + json.dumps(row) for row in value) + "]"


def renew(text, task, connection):
    """The text of a task file with every expected output as it should be, and these outputs."""
    parts, outputs, end = [], [], 0
    for found in VARIATION.finditer(text):
        _, after = json.JSONDecoder().raw_decode(text, found.end())
        outputs.append(truth(connection, task, {found[1]: found[2]}))
        parts += [text[end : found.end()], written(outputs[-1])]
        end = after
    return "".join(parts) + text[end:], outputs


def open_tickets(connection):
    cursor = connection.execute(
        "SELECT ticket_id, created_at, title, description FROM support.support_ticket"
        " WHERE status = 'open' ORDER BY created_at DESC"
    )
    names = [column[0] for column in cursor.description]
    rows = ",\n".join("  " + json.dumps(dict(zip(names, row))) for row in cursor)
    return (
        '{"identifier": "open_tickets", "title": "Open support tickets, newest first", "artifact_type": "table",'
        f' "data": [\n{rows}\n]}}\n'
    )


def problems(connection, text, outputs):
    """What would make a task unfair."""
    if len(outputs) != text.count("expected_output:"):
        yield "a variation is not written as make_tasks.py reads it"
    for name in DATABASES:
        for (table,) in connection.execute(f"SELECT name FROM {name}.sqlite_schema WHERE type = 'table'").fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA {name}.table_info({table})")]
            if f" {table}({', '.join(columns)})\n" not in text:
                yield f"the system prompt does not tell the columns of {table}: {', '.join(columns)}"
    for output in outputs:
        if not output:
            yield "nothing is expected of a variation"
        elif isinstance(output, list) and "priority_score" in output[0]:
            scores = [row["priority_score"] for row in output]
            if any(above <= below for above, below in zip(scores, scores[1:])):
                yield f"two tickets have the same score after rounding: {scores}"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if len({SHARED_PART.search(read(script))[0] for script in DATABASES.values()}) != 1:
        sys.exit("support.sql and control_plane.sql differ in their shared part")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        connection = build(pathlib.Path(folder))
        for file in sorted((HERE / "tasks").glob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            renewed, outputs = renew(text, file.stem, connection)
            found += [f"{file.name}: {problem}" for problem in problems(connection, text, outputs)]
            if renewed == text:
                print(f"{file.name}: {len(outputs)} expected outputs are up to date")
            elif "--check" in sys.argv:
                found.append(f"{file.name}: expected outputs are out of date; run make_tasks.py")
            else:
                file.write_text(renewed, encoding="utf-8")
                print(f"{file.name}: {len(outputs)} expected outputs written")
        table = HERE / "open_tickets.json"
        if "--check" not in sys.argv:
            table.write_text(open_tickets(connection), encoding="utf-8")
        elif not table.exists() or table.read_text(encoding="utf-8") != open_tickets(connection):
            found.append("open_tickets.json is out of date; run make_tasks.py")
        connection.close()
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
