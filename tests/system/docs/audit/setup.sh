for system in first second third; do
  assay question_router --quiet --input-path $system.jsonl -o results/question_router/$system
done
assay run capitals.yaml --quiet -o results/custom/RUN
