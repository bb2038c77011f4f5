#!/bin/sh
# The commands of pages about other programs run as they are written.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
ln -s "$2/examples" examples
mkdir -p build/release
ln -s "$bough" build/release/bough

run=0
for page in docs/interchange.md docs/opensm.md examples/ethernet/README.md; do
	sed -n 's/^    \(build\/release\/bough .*\)$/\1/p' "$2/$page" >commands
	while read -r command; do
		sh -c "$command" >out 2>err </dev/null || fail "$page: $command: $(cat err)"
		run=$((run + 1))
	done <commands
done
# the page of formats names all of them
"$bough" list formats | sed -n 's/^  \([a-z][a-z.]*\)  .*/\1/p' >formats
[ "$(wc -l <formats)" -ge 16 ] || fail "only these formats: $(cat formats)"
while read -r format; do
	grep -q "^| .*\`$format\`.* | .* | .* |" "$2/docs/interchange.md" || fail "docs/interchange.md has no format $format"
done <formats

[ "$run" -ge 12 ] || fail "only $run commands were found"
