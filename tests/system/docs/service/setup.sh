assay serve --tokens tokens --new-token lee >/dev/null
assay serve
base=http://127.0.0.1:$SERVE_PORT/data/eval
job=none
