cp examples/experiment/queries/full.yaml queries.yaml
cp -r examples/experiment/prompts .
