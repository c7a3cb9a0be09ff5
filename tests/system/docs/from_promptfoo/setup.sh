assay import promptfoo promptfooconfig.yaml --output before
assay run before/assay.yaml --quiet -o runs/main
