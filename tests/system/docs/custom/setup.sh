assay init custom made
assay run made/custom.yaml --quiet -o results/custom/TIME
cp made/custom.yaml other.yaml
cp examples/custom/scorers/score.py .
mkdir prompts
for name in old new; do cp made/prompts/support_$name.txt prompts/$name.txt; done
