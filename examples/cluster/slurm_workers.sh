#!/bin/bash
# Workers as a job array: sbatch slurm_workers.sh, with --array=1-32 for as many as you like. Three minutes before
# the time is up each is told to take nothing new, and handed in again; what it has not finished goes to others.
#
# STORE, QUEUE and the keys come from a file of shell assignments that only you can read (chmod 600):
#   export STORE='postgres://assay:PASSWORD@db.example.org/evals' QUEUE='nats://queue.example.org:4222'
#   export OPENAI_API_KEY=...
#SBATCH --job-name=assay-worker
#SBATCH --array=1-4
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@180
#SBATCH --requeue
#SBATCH --output=assay-worker-%A-%a.log
set -eu
# shellcheck source=/dev/null
. "${ASSAY_ENVIRONMENT:-$HOME/.config/assay/environment}"
# Filled by assay, so that no password is in a process list.
# shellcheck disable=SC2016
assay worker --store '${STORE}' --queue '${QUEUE}' --threads "${SLURM_CPUS_PER_TASK:-1}" --exit-when-idle 10m &
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
if [ "$stopped" = requeue ] && [ "$code" -eq 0 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
