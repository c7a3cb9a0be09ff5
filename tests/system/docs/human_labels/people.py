# Every other case is good, say people.
import csv
import sys

with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
with open(sys.argv[1], "w", newline="") as file:
    writer = csv.DictWriter(file, fieldnames=rows[0].keys())
    writer.writeheader()
    for i, row in enumerate(rows):
        writer.writerow({**row, "label": i % 2})
