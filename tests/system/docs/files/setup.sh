assay run eval.yaml --quiet --limit 5 -o first
cp first/run.db .
