#!/bin/sh
# Pages without scripts: --html of check and report, report.html of run, in a build without Node.
# $1: bough, $2: the source directory.
set -eu
command -v python3 >/dev/null || exit 77
exec python3 "$2/tests/cli/static_page.py" "$1" "$2"
