#!/bin/sh
# Runs tests of the Python package by a Python that has numpy and pytest; skipped (77) where there is none.
#
#     python/tests/run.sh LIBRARY COMMAND FILE...
set -eu
BOUGH_LIBRARY=$1 BOUGH_COMMAND=$2
export BOUGH_LIBRARY BOUGH_COMMAND
shift 2
for python in ${PYTHON-} python3 /usr/bin/python3; do
	if "$python" -c "import numpy, pytest" 2>/dev/null; then
		PYTHONDONTWRITEBYTECODE=1 exec "$python" -m pytest -q -p no:cacheprovider "$@"
	fi
done
echo "python3-numpy or python3-pytest is missing"
exit 77
