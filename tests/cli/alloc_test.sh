#!/bin/sh
# Memory that runs out: a fixed sample of tests/campaign/alloc.py over all verbs.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2

command -v python3 >/dev/null || exit 77
[ -f "$(dirname "$bough")/libfault_alloc.so" ] || exit 77
python3 "$source/tests/campaign/alloc.py" "$bough" "$source" --cases 360 --each 12 --seed 1
