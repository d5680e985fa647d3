#!/usr/bin/env bash
# Snakemake runs this script in the new environment, from the project's root.
set -euo pipefail
python -m pip install --quiet --require-hashes --requirement requirements.lock
python -m pip install --quiet --no-deps --no-build-isolation .
