#!/bin/sh
# scripts/opensm-compare: the real OpenSM's engines beside bough's own routings, whole and with cables cut, a fall back that is
# said, and tables that equal the recorded ones where ../shared/data is there. Skipped (77) where the tools are not installed.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
compare=$2/scripts/opensm-compare
data=$2/../shared/data/ibsim
BOUGH=$bough
export BOUGH

# refused TEXT ARGUMENT...: wrong words are refused before anything starts.
refused() {
	text=$1
	shift
	status=0
	"$compare" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq 2 ] || fail "opensm-compare $*: status $status: $(cat err)"
	grep -qF -- "$text" err || fail "opensm-compare $*: $(cat err)"
}
refused usage
refused "no option '--engine'" x --engine ftree
refused "--cut needs a value" x --cut
refused "whole numbers" x --cut -1
refused "cannot be read" x --roots nowhere
refused "a second one" x y

status=0
"$compare" xgft:down=4x4,up=1x4 --engines ftree,updn --cut 2 --seed 3 --out kept >out 2>err || status=$?
[ "$status" -ne 77 ] || exit 77
[ "$status" -eq 0 ] || fail "16 hosts: status $status: $(cat out err)"
[ ! -s err ] || fail "16 hosts: $(cat err)"

# loads STATE NAME: the columns of a row, its name apart.
loads() {
	sed -n "/, $1: /,/^\$/s/^  $2  *//p" out
}
# equal STATE NAME NAME: two rows say the same.
equal() {
	[ -n "$(loads "$1" "$2")" ] || fail "$1: no row $2: $(cat out)"
	[ "$(loads "$1" "$2")" = "$(loads "$1" "$3")" ] || fail "$1: $2 is not $3: $(cat out)"
}
also "whole: 16 hosts, 16 cables" "cut: 16 hosts, 14 cables"
equal whole "opensm updn" "bough updn"
equal whole "opensm ftree" "bough updn"
equal cut "opensm updn" "bough updn"
case $(loads whole "opensm ftree") in "240 "*" 15 "*" 1 "*" 1 "*) ;; *) fail "ftree: $(cat out)" ;; esac
[ "$(wc -l <kept/cut/roots)" -eq 4 ] || fail "roots: $(cat kept/cut/roots)"
for state in whole cut; do # every entry, not only the sums
	"$bough" net "kept/$state/updn/fabric" --routing "updn:roots=kept/cut/roots" -o own.lfts
	grep "Channel Adapter" own.lfts >a
	grep "Channel Adapter" "kept/$state/updn/opensm-lfts.dump" >b
	cmp a b || fail "$state: updn is not that of OpenSM"
done

# Roots that name no switch stop it; ids as ibnetdiscover writes them are GUIDs.
printf '# none\n\n0x1234\ns3\n' >roots
refused "no line of roots is the GUID of a switch of xgft:down=4x4,up=1x4" xgft:down=4x4,up=1x4 --roots roots
[ "$(wc -l <err)" -eq 1 ] || fail "more than a line: $(cat err)"
[ ! -s out ] || fail "a table: $(cat out)"
sed '1d; s/^0x/S-/' kept/cut/roots >roots # three of the four spines
"$compare" xgft:down=4x4,up=1x4 --engines updn --own updn --roots roots --out three >out 2>err || fail "roots: $(cat out err)"
[ ! -s err ] || fail "roots: $(cat err)"
equal whole "opensm updn" "bough updn"
"$bough" net three/whole/updn/fabric --routing "updn:roots=roots" -o own.lfts
grep "Channel Adapter" own.lfts >a
grep "Channel Adapter" three/whole/updn/opensm-lfts.dump >b
cmp a b || fail "three roots: updn is not that of OpenSM"
"$bough" net three/whole/updn/fabric --routing updn -o four.lfts
! cmp -s own.lfts four.lfts || fail "three roots are as good as four"

# 128 hosts, full bisection: what theory says of ftree, and d-mod-k the same.
"$compare" xgft:down=8x16,up=1x8 --engines ftree,updn --own updn,minhop >out 2>err || fail "128 hosts: $(cat out err)"
equal whole "opensm updn" "bough updn"
case $(loads whole "opensm ftree") in "16256 "*" 127 "*" 1 "*" 1 "*) ;; *) fail "ftree: $(cat out)" ;; esac
"$bough" check --details xgft:down=8x16,up=1x8 --routing dmodk --json >dmodk.json
for key in '"alltoall_max": 127' '"shift_max": 1' '"shift_mean": 1'; do
	grep -q "$key" dmodk.json || fail "d-mod-k: no $key"
done

# A ring is no tree: ftree gives up, OpenSM takes minhop and ends well. That is said, and is a failure.
printf 'node,node\ns1,s2\ns2,s3\ns3,s4\ns4,s5\ns5,s1\ns1,h1\ns2,h2\ns3,h3\ns4,h4\ns5,h5\n' >ring.csv
"$bough" net ring.csv -o ring.net
status=0
"$compare" ring.net --engines ftree --own minhop >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "a ring: status $status: $(cat out err)"
grep -q "OpenSM could not route with ftree and took minhop" err || fail "a ring: $(cat err)"
equal whole "ftree: minhop!" "bough minhop"

# The recorded tables, from the recorded netlists.
if [ -r "$data/ft2-16.net" ]; then
	"$compare" "$data/ft2-16.net" --out ft2-16 >out 2>err || fail "ft2-16: $(cat out err)"
	for engine in ftree updn minhop; do
		cmp "$data/ft2-16.$engine.lfts" "ft2-16/whole/$engine/opensm-lfts.dump" || fail "ft2-16: $engine differs"
	done
	"$compare" "$data/ft3-128.net" --engines ftree,updn --out ft3-128 >out 2>err || fail "ft3-128: $(cat out err)"
	for engine in ftree updn; do
		gzip -dc "$data/ft3-128.$engine.lfts.gz" | cmp - "ft3-128/whole/$engine/opensm-lfts.dump" || fail "ft3-128: $engine differs"
	done
	equal whole "opensm updn" "bough updn"
fi
