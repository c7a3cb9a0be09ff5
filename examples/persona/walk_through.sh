#!/usr/bin/env bash
# Walks through the data service with curl: starts one of its own with the built-in model, stores items, runs jobs,
# reads everything back, gives feedback, removes a record. Needs curl and the assay program (ASSAY=path/to/assay, else
# from PATH or build/).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
assay=${ASSAY:-$(command -v assay || echo "$here/../../build/assay")}
store=$(mktemp -d)
log=$store/log
"$assay" serve --port 0 --store "$store/data" >"$log" 2>&1 &
service=$!
trap 'kill $service 2>/dev/null; wait $service 2>/dev/null; rm -rf "$store"' EXIT
until base=$(sed -n 's/^listening on //p' "$log") && [ -n "$base" ]; do
  kill -0 $service || { cat "$log"; exit 1; }
  sleep 0.05
done
say() { printf '\n── %s\n' "$*"; }
post() { curl -sS --fail-with-body -H 'Content-Type: application/json' "$@"; }
brief() { cut -c1-${1:-400}; }

say "store the forty items with their tags"
{ printf '{"items":['; paste -sd, "$here/items.jsonl"; printf ']}'; } | post -d @- "$base/record-evaluation-items"

say "the first of those tagged museum-autumn"
curl -sS "$base/fetch-evaluation-items?tag=museum-autumn&count=1" | brief

say "a tenth of them, drawn at random once and for all"
post -d '{"tag": "museum-autumn", "percent": 10, "seed": 7}' "$base/create-subset"

job=$(printf '{"tag_source": "museum-autumn", "tags_dest": ["trial-1"], "model": "sim/judge", "persona": %s,
  "perspectives": [{"id": "fit", "name": "Fit", "text": "Is the chosen value the right one for me?"}]}' "$(cat "$here/personas/ines.json")")

say "what a job would store, without storing it (dry run, two items)"
post -d "$job" "$base/process-evals/mode2?dry_run=true&items_to_process=2" | brief 300

say "a job on five items, answered when it is done"
post -d "$job" "$base/process-evals/mode2?items_to_process=5" | brief 300

say "the rest in the background; items that have a result are left out"
id=$(post -d "$job" "$base/process-evals/mode2?async=true" | sed 's/.*"job_id":"\([^"]*\)".*/\1/')
until curl -sS "$base/process-evals/mode2/$id" | grep -q '"status":"COMPLETE"'; do sleep 0.1; done
curl -sS "$base/process-evals/mode2/$id" | brief 300

say "its results"
curl -sS "$base/get-evaluation-data?tag=trial-1&count=2"

say "a person disagrees with the first"
post -d '{"resultId": 1, "person": "kim", "likert": 5, "text": "I would have said so too."}' "$base/feedback"

say "one item with everything that was said of it"
item=$(curl -sS "$base/get-evaluation-data?count=1" | sed 's/.*"itemId":"\([^"]*\)".*/\1/')
curl -sS -G --data-urlencode "id=$item" "$base/item" | brief 300

say "the verdicts of the job as CSV"
curl -sS "$base/get-evaluation-data?job=$id&format=csv" | sed -n 1,3p | brief 200

say "what the job came to, with people's feedback beside it"
curl -sS "$base/process-evals/mode2/$id/figures" | brief 300

say "the persona in every version that has judged, tags, what people said"
curl -sS "$base/personas"
curl -sS "$base/tags" | brief
curl -sS "$base/feedback?person=kim" | brief 300

say "a record goes, with its verdicts and their feedback"
curl -sS -X DELETE "$base/records/1"

say "all jobs"
curl -sS "$base/get-evaluation-jobs" | brief 300

say "a wrong request says what is wrong with it"
curl -sS -H 'Content-Type: application/json' -d '{"tags_dest": [], "subset_percent": 300}' "$base/process-evals/mode2"
