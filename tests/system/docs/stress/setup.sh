assay run own.yaml --quiet -o results/custom/2026-11-18T20-00-00
