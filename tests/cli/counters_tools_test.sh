#!/bin/sh
# Counters that the real tools print. ibsim gets the loads that bough predicts as counters of its ports, and a few others;
# perfquery and ibqueryerrors read them, and bough finds what was changed. Skipped (77) where they are not installed.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded

# shellcheck source=scripts/opensm.sh
. "$2/scripts/opensm.sh"
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	opensm_cleanup
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
opensm_there || exit 77
command -v perfquery >/dev/null && command -v ibqueryerrors >/dev/null || exit 77

# wait_for COMMAND...: until it succeeds, 20 s at most.
wait_for() {
	tries=0
	until "$@" >wait.out 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || fail "$*: $(tail -n 3 wait.out) $(tail -n 5 opensm.log opensm.out)"
		sleep 0.2
	done
}

# Two leaves of four hosts, two spines. OpenSM stays, as ibqueryerrors asks it for paths; the console of ibsim is a pipe.
"$bough" net xgft:down=4x2,up=1x2 -o tree.net || fail "no netlist"
mkfifo console
IBSIM_SOCKNAME=bough-counters-$$
export IBSIM_SOCKNAME
ibsim -s tree.net <console >ibsim.log 2>&1 &
sim=$!
exec 7>console
wait_for ibsim-run ibnetdiscover
: >opensm.conf
OSM_CACHE_DIR=$tmp OSM_TMP_DIR=$tmp timeout 300 ibsim-run opensm -F "$tmp/opensm.conf" -f "$tmp/opensm.log" -D 0x43 -R minhop </dev/null >opensm.out 2>&1 &
osm=$!
wait_for test -s opensm-lfts.dump
wait_for ibsim-run ibqueryerrors
ibsim-run ibnetdiscover 2>/dev/null | sed '/^# Topology file: generated on/d' >fabric
"$bough" check --details fabric --lft opensm-lfts.dump --trials 0 --links predicted.csv >out || fail "no prediction"

# LID and port of each end of a cable.
awk '/^Switch/ { lid = $0; sub(/.* lid /, "", lid); sub(/ .*/, "", lid) }
/^Ca/ { lid = 0 }
/^\[/ { port = $1; gsub(/^\[|\].*/, "", port); own = lid
	if (!lid) { own = $0; sub(/^[^#]*# lid /, "", own); sub(/ .*/, "", own) }
	print own, port }' fabric >ports
[ "$(wc -l <ports)" -eq 24 ] || fail "ports: $(cat ports)"

# read_all NAME: the counters as the tools print them. Each query is traffic, too.
read_all() {
	while read -r lid port; do
		ibsim-run perfquery -x "$lid" "$port" 2>&1 </dev/null
	done <ports >"$1.perfquery"
	ibsim-run ibqueryerrors --counters >"$1.counters" 2>&1 || true
	ibsim-run ibqueryerrors --data >"$1.errors" 2>&1 || true
}

# set_counters: node, port, counter and value a line.
set_counters() {
	while read -r node port counter value; do
		echo "PerformanceSet \"$node\"[$port] $counter=$value" >&7
		echo "$node[$port] $counter has been set to $value" >last
	done
	wait_for grep -qF -f last ibsim.log
}
ibsim-run ibqueryerrors --counters >before.counters 2>&1 || true

# A gigaword for each predicted flow: all that is elsewhere is what the tools sent.
predicted() {
	awk -F, -v words="$1" 'NR > 1 { printf "%s-%s %d PortCountersExtended.PortXmitData %.0f\n", $7 ~ /^h/ ? "H" : "S",
		substr($9, 3), $11, words * $16 }' predicted.csv
}
predicted 1000000000 | set_counters
read_all after
for files in after.perfquery "before.counters --counters after.counters"; do
	# shellcheck disable=SC2086 # words
	"$bough" check --details fabric --lft opensm-lfts.dump --trials 0 --counters $files --json >out
	json "o['counters']['links']['counted'] == o['counters']['links']['all'] == 24 and o['counters']['unknown_ports'] == 0"
	json "o['counters']['fits'][0]['elsewhere'] < 1e-5 and abs(o['counters']['fits'][0]['factor'] / 4e9 - 1) < 1e-5"
	json "not [f for f in o['counters']['fits'] if f['hot'] or f['idle']] and not o['counters']['cables_with_errors']"
	json "all(abs(t['share'] - t['predicted_shares'][0]) < 1e-6 for t in o['counters']['traffic'])"
done

# Three links carry twice as much, two nothing, one cable has errors. s1.0 is 0x..400000; its ports 5 and 6 lead to spines.
{
	predicted 1000000000 | grep -v '^S-0002c90200400000 [56] '
	echo "S-0002c90200400000 5 PortCountersExtended.PortXmitData 16000000000"
	echo "S-0002c90200400000 6 PortCountersExtended.PortXmitData 0"
	echo "H-0002c90300000500 1 PortCountersExtended.PortXmitData 0"
	echo "H-0002c90300000600 1 PortCountersExtended.PortXmitData 14000000000"
	echo "H-0002c90300000700 1 PortCountersExtended.PortXmitData 14000000000"
	echo "S-0002c90200400000 5 PortCounters.SymbolErrorCounter 17"
	echo "S-0002c90200400000 5 PortCounters.LinkDownedCounter 255"
} | set_counters
read_all after
for file in perfquery counters; do
	"$bough" check --details fabric --lft opensm-lfts.dump --trials 0 --counters "after.$file" --json >out
	json "sorted(o['counters']['fits'][0]['hot']) == ['h6/1 -> s1.1/3', 'h7/1 -> s1.1/4', 's1.0/5 -> s2.0/1']"
	json "sorted(o['counters']['fits'][0]['idle']) == ['h5/1 -> s1.1/2', 's1.0/6 -> s2.1/1']"
done
ibsim-run perfquery "$(awk '/"s1.0" base/ { sub(/.* lid /, ""); print $1 }' fabric)" 5 2>/dev/null </dev/null >>after.perfquery
for file in perfquery errors; do
	"$bough" check --details fabric --lft opensm-lfts.dump --trials 0 --counters "after.$file" --json >out
	json "[c['cable'] for c in o['counters']['cables_with_errors'] if 'SymbolErrorCounter' in str(c)] == ['s2.0/1 - s1.0/5']"
	json "o['counters']['cables_with_errors'][0]['second_end']['SymbolErrorCounter'] == 17"
	json "o['counters']['cables_with_errors'][0]['second_end']['LinkDownedCounter'] == 255 and o['counters']['cables_with_errors'][0]['at_least']"
done
right "s1.0/5: SymbolErrorCounter 17, LinkDownedCounter 255" check --details fabric --lft opensm-lfts.dump --trials 0 --counters after.perfquery
also "(at least)"
right "not compared, as the counted links have 9.091 % of the predicted traffic" check --details fabric --lft opensm-lfts.dump --trials 0 \
	--counters after.errors
