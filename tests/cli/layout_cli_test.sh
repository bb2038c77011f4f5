#!/bin/sh
# Layouts: the method, the files; and what KLayout says of the GDSII files, where it is installed.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# ---- what cannot be ----
wrong 2 "not cube:n=16" sim cube:n=16 layout
wrong 2 "kind=hollowcube needs a network made of stacks (transit:...); pruned:n=16 is not one" sim pruned:n=16 layout:kind=hollowcube
wrong 2 "pitch applies to kind=htree; here the kind is hollowcube" sim transit:n=64 layout:pitch=100nm
wrong 2 "pitch=0.1 is not a length with its unit, as in 100nm" sim pruned:n=16 layout:pitch=0.1
wrong 2 "pitch=2nm is out of range; pitch must lie between 4nm and 1mm" sim pruned:n=16 layout:pitch=2nm
wrong 2 "a multiple of 4 nm" sim pruned:n=16 layout:pitch=10nm
wrong 2 "not cube:n=16" net cube:n=16 -o x.gds
wrong 2 "not cube:n=16" net cube:n=16 -o x.layout.svg
wrong 2 "the limit is 2097152" net fattree:n=65536 -o x.layout.svg
wrong 2 "wires at one node" net fattree:n=2^40 -o x.gds
[ ! -e x.gds ] || fail "x.gds was left"

# ---- the method ----
right "layout:kind=htree" sim pruned:n=256 layout
"$bough" sim pruned:n=256 layout:pitch=200nm --json >out
json '{r["metric"]: r["mean"] for r in o["results"] if "index" not in r or r["index"] is None}["layout_width"] == 0.0696'
right "layout:kind=hollowcube" sim transit:n=64 layout
right "layout:kind=htree,pitch=40nm,switch=1um" sim bft:n=64 layout:pitch=40nm,switch=1um
right "switches    8" net meshoftrees:n=4 --check
right "switches    736" net meshoftrees:n=256 --check
wrong 2 "meshoftrees: n=8 is not a power of four; the nearest are 4 and 16" net meshoftrees:n=8

# ---- files ----
"$bough" net pruned:n=256 -o x.layout.svg
"$bough" net pruned:n=256 -o x.gds
"$bough" net pruned:n=256 -o y.gds
cmp x.gds y.gds || fail "two GDSII files of one network differ"
if command -v python3 >/dev/null; then
	python3 -c 'import sys, xml.etree.ElementTree as e; r = e.parse("x.layout.svg").getroot(); sys.exit(not r.tag.endswith("svg"))' ||
		fail "x.layout.svg is no XML"
fi

# ---- KLayout ----
if ! command -v klayout >/dev/null; then
	echo "klayout is not installed: its part is left out"
	exit 0
fi
# Sizes as the method says, nothing too near, and as many nets as cables.
: >want
files=
while read -r network cells width height nets; do
	file=k${network%%:*}.gds
	"$bough" net "$network" -o "$file"
	files=$files,$file
	echo "cells $cells width $width height $height area $((width * height)) too_near 0 too_thin 0 loose_vias 0" \
		"metal_in_boxes 0 overlap 0 nets $nets" >>want
done <<END
fattree:n=64 9 18000 16400 384
bft:n=256 11 30000 19200 480
pruned:n=256 12 34800 31600 1440
meshoftrees:n=64 9 14000 12600 224
sorting:n=256 6 158600 105600 512
END
QT_QPA_PLATFORM=offscreen klayout -b -r "$2/tests/cli/klayout.py" -rd "files=${files#,}" -rd half_pitch=50 >out 2>err ||
	fail "klayout: $(cat out err)"
diff want out || fail "klayout says otherwise"
