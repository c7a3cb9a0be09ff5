assay run eval.yaml --quiet --limit 5 -o results/first
