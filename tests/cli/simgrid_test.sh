#!/bin/sh
# Platforms for SimGrid: what is refused, and, where simgrid_load was built (libsimgrid-dev, g++), SimGrid loads them and shifts take
# as long there as in `flow`.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
load=$(dirname "$bough")/simgrid_load

wrong 2 "leaves a choice of links; SimGrid supports one route per pair" net xgft:down=4x4,up=1x4 --routing random -o x.xml
printf 'node,node\ns1,h1\ns2,h2\ns1,h3\ns2,h4\n' >apart.csv
wrong 2 "no route from h1 to h2; SimGrid requires one for every pair" net apart.csv --routing updn -o x.xml
[ ! -e x.xml ] || fail "something was written"

# A cluster where SimGrid has the network and the routing itself, a zone of links and routes where not.
"$bough" net xgft:down=4x4,up=1x4 --routing dmodk -o cluster.xml
grep -q 'topology="FAT_TREE" topo_parameters="2;4,4;1,4;1,1"' cluster.xml || fail "$(cat cluster.xml)"
"$bough" net xgft:down=4x4,up=1x2,links=1x2 --routing dmodk -o zone.xml
[ "$(grep -c '<route ' zone.xml)" -eq 240 ] || fail "zone.xml has not 240 routes"
[ "$(grep -c '<link ' zone.xml)" -eq 64 ] || fail "zone.xml has not 64 links"
printf 'node,node\ns1,<h&1\ns1,h2\n' >odd.csv
"$bough" net odd.csv --routing updn -o odd.xml
grep -q '<host id="&lt;h&amp;1" speed="1Gf"/>' odd.xml || fail "$(cat odd.xml)"

# What was written is read again, where libxml2 is: the same tree.
if "$bough" net cluster.xml --json >read.json 2>errors; then
	for file in cluster zone; do
		"$bough" sim $file.xml shift:5 flow --routing updn --csv | sed -n 's/.*,completion_time,,s,\([^,]*\),.*/\1/p' >have
		"$bough" sim xgft:down=4x4,up=1x4 shift:5 flow --routing updn --csv | sed -n 's/.*,completion_time,,s,\([^,]*\),.*/\1/p' >want
		cmp have want || fail "$file.xml, read again, is another network"
	done
	"$bough" net odd.xml | grep -q 'endpoints   2' || fail "odd.xml is not read"
else
	grep -q 'libxml2 was not there' errors || fail "$(cat errors)"
fi

[ -x "$load" ] || {
	echo "SimGrid is not there: its side was not looked at"
	exit 0
}
# same NETWORK ROUTING: shifts of 1 MB, at a billionth of the time.
same() {
	"$bough" net "$1" --routing "$2" -o p.xml
	for k in 1 5 13; do
		theirs=$("$load" p.xml 1000000 "$k") || fail "$1 $2: SimGrid did not load the platform"
		ours=$("$bough" sim "$1" "shift:$k" flow:size=1MB,ideal=0 --routing "$2" --csv |
			sed -n 's/.*,completion_time,,s,\([^,]*\),.*/\1/p')
		echo "$theirs $ours" | awk '{ d = $2 / $3 - 1; exit !($1 == n && d < 1e-9 && d > -1e-9) }' n="$3" ||
			fail "$1 $2, shift:$k: SimGrid $theirs, bough $ours"
		echo "$1 $2 shift:$k: SimGrid $theirs bough $ours"
	done
}
same xgft:down=4x4,up=1x4 dmodk 16
same xgft:down=4x4x4,up=1x2x2 dmodk 64
same xgft:down=3x4x2,up=1x3x2 dmodk 24
same xgft:down=4x4,up=1x2,links=1x2 dmodk 16
same xgft:down=4x4x4,up=1x2x2 updn 64
same xgft:down=4x4x4,up=1x2x2 smodk 64
same bft:n=64 minhop 64
