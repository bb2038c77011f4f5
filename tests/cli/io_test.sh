#!/bin/sh
# A few seconds of the part of the campaign about writing that fails.
# $1: bough, $2: the source directory.
set -eu
command -v python3 >/dev/null || exit 77
exec python3 "$2/tests/campaign/io.py" "$1" "$2" --seconds 4
