for week in 1 2 3; do assay run weekly.yaml --quiet -o results/week-$week; done
