#!/bin/sh
# docs/zahavi2010.md: under D-mod-K no shift puts two flows on a link, in any network of the study; under hashing most do.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

"$bough" run zahavi2010/shifts --csv >out 2>err || fail "the study: $(cat err)"
# loads ROUTING: rows, rows without messages, rows of more than one flow, the largest
loads() {
	sed 's/"[^"]*"/quoted/g' out | awk -F, -v routing="$1" '$3 == routing && $6 == "link_load_max" {
		rows++; none += $9 == 0; more += $9 > 1; if ($9 > most) most = $9 }
		END { print rows, none, more + 0, most }'
}
for routing in dmodk smodk; do # 63 shifts of three networks; by 48 of 48 endpoints nothing moves
	[ "$(loads $routing)" = "189 1 0 1" ] || fail "$routing: $(loads $routing)"
done
[ "$(loads hash)" = "189 1 181 7" ] || fail "hash: $(loads hash)"
