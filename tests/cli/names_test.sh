#!/bin/sh
# Hostile names: a fixed sample of tests/campaign/names.py, one case of each kind. $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2

command -v python3 >/dev/null || exit 77
python3 -c 'import sqlite3' 2>/dev/null || exit 77
python3 "$source/tests/campaign/names.py" "$bough" "$source" --cases 6 --seed 1
