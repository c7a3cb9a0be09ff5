assay run eval.yaml --quiet --limit 5 -o results/rag_answers/TIME
cp -r results/rag_answers/TIME BASE
cp -r results/rag_answers/TIME NEW
