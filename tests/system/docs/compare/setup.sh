for name in BASE NEW; do
  assay run eval.yaml --quiet --limit 5 -o results/rag_answers/$name
  cp -r results/rag_answers/$name $name
done
assay baseline set main results/rag_answers/BASE
