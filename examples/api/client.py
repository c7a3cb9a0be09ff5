#!/usr/bin/env python3
"""Reads runs from `assay serve`: python3 client.py ADDRESS [RUN]; a token comes from ASSAY_TOKEN.

Without RUN it lists the runs. With RUN it waits until that run has ended and prints its figures and its worst cases.
Standard library only.
"""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


class Assay:
    def __init__(self, address, token=None):
        self.address = address.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def open(self, path, **query):
        url = f"{self.address}{path}"
        if query:
            url += "?" + urllib.parse.urlencode(query)
        try:
            return urllib.request.urlopen(urllib.request.Request(url, headers=self.headers))
        except urllib.error.HTTPError as error:
            sys.exit(f"{error.code}: {json.load(error)['message']}")
        except urllib.error.URLError as error:
            sys.exit(f"{self.address}: {error.reason}")

    def get(self, path, **query):
        with self.open(path, **query) as answer:
            return json.load(answer)

    def run_path(self, run):
        return "/api/runs/" + urllib.parse.quote(run, safe=":@")

    def runs(self, **query):
        """All runs, a page at a time."""
        offset = 0
        while True:
            page = self.get("/api/runs", offset=offset, count=100, **query)
            yield from page["runs"]
            offset += len(page["runs"])
            if not page["runs"] or offset >= page["fitting"]:
                return

    def states(self, run):
        """The run as it is now, and again whenever it changes."""
        data = None
        with self.open("/api/events", run=run) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    data = json.loads(line[6:])
                elif line == b"\n" and data is not None:
                    yield data
                    data = None


def figure(estimate):
    if estimate["value"] is None:
        return f"undefined: {estimate.get('undefined', '')}"
    interval = estimate.get("ci")
    text = f"{estimate['value']:.3g}"
    return f"{text} ({interval[0]:.3g} to {interval[1]:.3g}), n = {estimate['n']}" if interval else text


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    assay = Assay(sys.argv[1], os.environ.get("ASSAY_TOKEN"))
    if len(sys.argv) == 2:
        for run in assay.runs():
            headline = run["headline"]
            words = f"{headline['name']} {figure(headline['estimate'])}" if headline else ""
            print(f"{run['id']}\t{run['state']}\t{run['done']}/{run['cases']}\t{words}")
        return
    run = sys.argv[2]
    for state in assay.states(run):
        if "state" not in state:
            sys.exit(f"{run} has been removed")
        print(f"{state['state']}: {state['done']} of {state['cases']} cases", file=sys.stderr)
        if state["state"] != "running":
            break
    detail = assay.get(assay.run_path(run))
    for sentence in detail["summary"]["conclusions"]:
        print(sentence)
    for name, estimate in detail["summary"]["metrics"].items():
        print(f"{name}\t{figure(estimate)}")
    for case in detail["notable"][:5]:
        print(f"worst: {case['id']}\t{case['why']}")


main()
