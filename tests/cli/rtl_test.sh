#!/bin/sh
# Netlists in Verilog, and the network of rtl/ in Verilator against circuit:mode=cycles, in every cycle. The second part is
# skipped (77) where verilator is not installed. $1: bough, $2: the source directory.
set -eu
bough=$1
built=$PWD/rtl # kept, so that only changes are built again
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
compare=$2/scripts/rtl-compare
synth=$2/scripts/rtl-synth
BOUGH=$bough
export BOUGH

# refused SCRIPT TEXT ARGUMENT...: wrong words are refused before anything starts.
refused() {
	script=$1
	text=$2
	shift 2
	status=0
	"$script" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq 2 ] || fail "$script $*: status $status: $(cat err)"
	grep -qF -- "$text" err || fail "$script $*: $(cat err)"
}
refused "$compare" "powers of two from 2 to 256, not '6'" --n 4,6
refused "$compare" "no option 'x'" x
refused "$compare" "--trials needs a value" --trials
refused "$compare" "at least 1" --trials 0
refused "$compare" "not '4x'" --n 4x
refused "$compare" "nowhere has no bough_router.v" --rtl nowhere
refused "$synth" "no option 'x'" x
refused "$synth" "powers of two" --n 12
refused "$synth" "whole numbers above 0, not '0'" --pitch 0

# Netlists: what cannot be one, then the parts of one.
wrong 2 "Verilog is written for fattree and transit without faults" net kary:k=3,levels=2 -o x.v
wrong 2 "this is fattree:n=8 with cables:count=1" net fattree:n=8 --faults cables:count=1 -o x.v
[ ! -e x.v ] || fail "a refused netlist was written"
"$bough" net fattree:n=16 -o x.v >out 2>err || fail "fattree:n=16: $(cat err)"
[ "$(grep -c 'bough_interface #' x.v)" -eq 16 ] || fail "not 16 interfaces"
[ "$(grep -c 'bough_router #' x.v)" -eq 32 ] || fail "not 32 routers"
[ "$(grep -c '^    wire .*_back;$' x.v)" -eq 128 ] || fail "not 128 links"
# Each link is the output of one part and the input of one.
for l in h0_to_s1_0 s1_0_to_h0 s1_5_to_s2_5 s3_7_to_s4_7 s4_0_to_s3_4; do
	[ "$(grep -o "o($l)" x.v | wc -l)" -eq 1 ] || fail "$l does not leave one part"
	[ "$(grep -o "i($l)" x.v | wc -l)" -eq 1 ] || fail "$l does not enter one part"
done
# The roots have no ports up.
[ "$(grep -c "d_i({(WIDTH+2){1'b0}})" x.v)" -eq 8 ] || fail "not 8 roots"

"$bough" net transit:n=64 -o t.v >out 2>err || fail "transit:n=64: $(cat err)"
[ "$(grep -c 'bough_rn1_interface #' t.v)" -eq 64 ] || fail "not 64 processors"
[ "$(grep -c 'bough_rn1 #(.INPUTS(8), .DILATION(2)' t.v)" -eq 36 ] || fail "not 36 whole routers"
[ "$(grep -c 'bough_rn1 #(.INPUTS(4), .DILATION(1)' t.v)" -eq 32 ] || fail "not 32 halves"

status=0
"$synth" --n 4 >out 2>err || status=$?
if [ "$status" -eq 0 ]; then
	[ "$(wc -l <out)" -eq 6 ] || fail "rtl-synth: $(cat out)"
	# 66 flip-flops: 2 registers of 6 bits per port, 2 bits back per port, 10 circuits
	grep -Eq '^router +4 +[0-9]+ +[0-9]+ +66 ' out || fail "a router of n=4 has other than 66 flip-flops: $(cat out)"
else
	[ "$status" -eq 77 ] || fail "rtl-synth: status $status: $(cat err)"
fi

if ! command -v verilator >/dev/null || ! command -v make >/dev/null || ! command -v g++ >/dev/null; then
	echo "verilator is missing; scripts/setup --tests installs it"
	exit 77
fi
verilator --lint-only -Wall -Wno-PINCONNECTEMPTY -Wno-UNUSED -Wno-DECLFILENAME x.v "$2"/rtl/*.v --top-module fattree_16 \
	>out 2>&1 || fail "verilator: $(cat out)"
"$bough" net transit:flat=16 -o t.v >out 2>err || fail "transit:flat=16: $(cat err)"
verilator --lint-only -Wall -Wno-PINCONNECTEMPTY -Wno-UNUSED -Wno-DECLFILENAME t.v "$2"/rtl/*.v --top-module transit_16 \
	>out 2>&1 || fail "verilator: $(cat out)"
"$compare" --n 4 --trials 480 --out "$built" >out 2>err || fail "rtl-compare: $(cat out err)"
also "480 trials, all equal" "n=4 retry=backoff: equal in 160 trials"

"$compare" --rn1 transit:flat=16 --trials 120 --traffic uniform,randperm --out "$built" >out 2>err || fail "rtl-compare: $(cat out err)"
also "120 trials, all equal"

# A router that frees a link a cycle late.
mkdir late
cp "$2"/rtl/*.v late
sed -i 's/ba_stays = ba & ~|a_back/ba_stays = ba/; s/{ba, ca, da, ab, cb, db} <= {ba_next,/{ba, ca, da, ab, cb, db} <= {ba_next \& ~|a_back,/' \
	late/bough_router.v
if cmp -s late/bough_router.v "$2/rtl/bough_router.v"; then fail "nothing was changed"; fi
status=0
"$compare" --n 2 --trials 24 --rtl late --out "$built" >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "a late router: status $status: $(cat out err)"
grep -q 'differs' err || fail "a late router: $(cat out err)"
also "held is"
