#!/bin/sh
# Runs tests of the report page in a real browser: run.sh BOUGH SOURCE NAME. Exits with 77 where the browser (Debian:
# chromium), Node or npm is not there, or pages have no script.
set -eu
bough=$1 source=$2 name=$3

skip() {
	echo "skipped: $*"
	exit 77
}

command -v node >/dev/null || skip "no node"
command -v npm >/dev/null || skip "no npm"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
"$bough" check fattree:n=4 --html x.html >/dev/null
grep -q '<script' x.html || skip "pages of this build have no script"

# Packages once for all tests, by whoever comes first.
mkdir -p web/screenshots
exec 9>web/lock
flock 9
cp "$source/tests/web/package.json" "$source/tests/web/package-lock.json" "$source/web/.npmrc" web/
if ! cmp -s web/package-lock.json web/installed; then
	(cd web && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) || skip "npm ci failed (npm.log)"
	cp web/package-lock.json web/installed
fi
# Other tests may be reading these files: each is replaced whole, and only if it has changed.
for file in "$source"/tests/web/*.mjs; do
	copy=web/$(basename "$file")
	cmp -s "$file" "$copy" || { cp "$file" "$copy.new" && mv "$copy.new" "$copy"; }
done
flock -u 9
cd web
BOUGH=$bough SOURCE=$source BROWSER=$browser exec node "$name"
