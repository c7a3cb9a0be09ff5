assay run eval.yaml --quiet --limit 5
