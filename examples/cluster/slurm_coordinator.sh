#!/bin/bash
# The coordinator of a run: sbatch slurm_coordinator.sh eval.yaml results/big. When its time is up, or its node was lost,
# it is begun again and goes on where it was.
#SBATCH --job-name=assay-coordinator
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=assay-coordinator-%j.log
set -eu
config=$1
results=$2
# shellcheck source=/dev/null
. "${ASSAY_ENVIRONMENT:-$HOME/.config/assay/environment}"
if [ -e "$results/config.yaml" ]; then
  assay resume "$results" &
else
  # shellcheck disable=SC2016
  assay run "$config" --store '${STORE}' --queue '${QUEUE}' --output-dir "$results" &
fi
assay=$!
# Slurm begins a job again by itself where its node was lost, and not where it ended because its time was up: then it
# hands itself in again. A scancel sends TERM, and does not.
stopped=
trap 'stopped=requeue; kill -TERM "$assay"' USR1
trap 'stopped=end; kill -TERM "$assay"' TERM
code=0
wait "$assay" || code=$?
if [ -n "$stopped" ]; then
  # The signal ended that wait, not the program.
  code=0
  wait "$assay" || code=$?
fi
if [ "$stopped" = requeue ] && [ "$code" -eq 130 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
