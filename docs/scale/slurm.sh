#!/bin/bash
# One shard a job: sbatch docs/scale/slurm.sh. A job that is requeued asks only what has no reply yet.
# When all have ended: llmarith merge shards/*/reports/*_shard-* --output=reports/merged
#SBATCH --job-name=llmarith
#SBATCH --array=1-8
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -euo pipefail
shard="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
# A project of its own, with its own store.
if [ ! -e "shards/$SLURM_ARRAY_TASK_ID/done" ]; then
  llmarith init "shards/$SLURM_ARRAY_TASK_ID"
  cd "shards/$SLURM_ARRAY_TASK_ID"
  pytest benches -n "${SLURM_CPUS_PER_TASK:-1}" --llm-shard="$shard" "$@"
  touch done
fi
