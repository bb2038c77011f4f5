#!/bin/sh
# A few seconds of the part of the campaign about runs that are killed, and all of its signals to a command that starts.
# $1: bough, $2: the source directory.
set -eu
command -v python3 >/dev/null || exit 77
python3 "$2/tests/campaign/kill.py" "$1" "$2" --sweep
exec python3 "$2/tests/campaign/kill.py" "$1" "$2" --seconds 4
