#!/bin/sh
# bough check --counters: bad input, then a fabric of four hosts by hand, in all formats and packings.
# $1: bough, $2: the source directory.
set -eu
bough=$1
example=$2/examples/fabric/cluster.ibnetdiscover
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded

# Two switches of two hosts each with one cable between them: each host sends 3 flows, the cable carries 4 each way.
{
	printf 'Switch\t4 "S-00000000000000a0"\t# "a" base port 0 lid 11 lmc 0\n'
	printf '[1]\t"H-0000000000000101"[1](201)\t# "n1 mlx5_0" lid 1 4xEDR\n[2]\t"H-0000000000000102"[1](202)\t# "n2 mlx5_0" lid 2 4xEDR\n'
	printf '[3]\t"S-00000000000000b0"[3]\t# "b" lid 12 4xEDR\n\n'
	printf 'Switch\t4 "S-00000000000000b0"\t# "b" base port 0 lid 12 lmc 0\n'
	printf '[1]\t"H-0000000000000103"[1](203)\t# "n3 mlx5_0" lid 3 4xEDR\n[2]\t"H-0000000000000104"[1](204)\t# "n4 mlx5_0" lid 4 4xEDR\n'
	printf '[3]\t"S-00000000000000a0"[3]\t# "a" lid 11 4xEDR\n\n'
	for i in 1 2 3 4; do
		[ "$i" -lt 3 ] && s=a0 || s=b0
		printf 'Ca\t1 "H-000000000000010%d"\t# "n%d mlx5_0"\n[1](20%d)\t"S-00000000000000%s"[%d]\t# lid %d lmc 0 "s" lid 11 4xEDR\n\n' \
			$i $i $i $s $(((i + 1) % 2 + 1)) $i
	done
} >fabric

# port GUID LID PORT WORDS: all ports, the words that all-to-all sends there with 1e9 words a flow.
ports() {
	for i in 1 2 3 4; do echo "0x10$i $i 1 3000000000"; done
	for s in "0xa0 11" "0xb0 12"; do
		echo "$s 1 3000000000"
		echo "$s 2 3000000000"
		echo "$s 3 4000000000"
	done
}
ports | while read -r guid lid port words; do
	printf '# Port extended counters: Lid %s port %s (CapMask: 0x5300 CapMask2: 0x0000002)\nPortSelect:......................%s\nPortXmitData:....................%s\n' \
		"$lid" "$port" "$port" "$words" >&3
	echo "Data Counters for $guid \"x\"
   GUID $guid port $port: [PortXmitData == $words (1.000GB)] [PortRcvData == 0 (0.000)] [PortUnicastXmitPkts == 0 (0.000)]" >&4
	[ "${guid#0x10}" = "$guid" ] && kind=switch || kind=hca
	echo "infiniband_${kind}_port_transmit_data_bytes_total{guid=\"$guid\",port=\"$port\"} ${words}0" | sed 's/30000000000$/1.2e+10/; s/40000000000$/1.6e+10/; s/$/ 1661449538500/' >&5
	echo "infiniband_portxmitdata_total{local_guid=\"$guid\",local_port=\"$port\"} $words.0" >&6
	echo "$guid,$port,$words" >&7
done 3>f.perfquery 4>f.query 5>f.treydock 6>f.guilbaults 7>rows
{
	echo '# Running timestamp : 2022-08-25 17:45:38 UTC +0000'
	grep -v '^#' "$example" >/dev/null
	printf 'START_PM_INFO\nNodeGUID,PortNumber,PortXmitDataExtended\n'
	cat rows
	echo END_PM_INFO
} >f.db_csv
gzip -k f.perfquery
mkdir bundle
cp f.db_csv bundle/ibdiagnet2.db_csv
echo nothing >bundle/notes.txt
tar -cf bundle.tar bundle

# ---- bad input ----

wrong 2 "--counters needs a fabric with GUIDs" check fattree:n=8 --counters f.perfquery
wrong 2 "--interval needs --counters" check fabric --interval 5
wrong 2 "--interval 0 must be a number of seconds above 0" check fabric --counters f.perfquery --interval 0
wrong 2 "3 are given" check fabric --counters f.perfquery --counters f.perfquery --counters f.perfquery
wrong 2 "nowhere" check fabric --counters nowhere
wrong 2 "fabric:1: is not a file of port counters" check fabric --counters fabric
sed 's/PortXmitData:.*/PortXmitData:..x/' f.perfquery >bad
wrong 2 "bad:3: PortXmitData: expected a whole number" check fabric --counters bad --html page.html --links l.csv
[ ! -e page.html ] || fail "a page of a refused question"
[ ! -e l.csv ] || fail "links of a refused question"
cat f.perfquery f.perfquery >twice
wrong 2 "PortXmitData of LID 1 port 1 was given before, in line 3" check fabric --counters twice

# ---- one traffic in all formats: exactly the prediction, 4e9 bytes a flow ----

for file in f.perfquery f.perfquery.gz f.query f.treydock f.guilbaults f.db_csv bundle bundle.tar; do
	"$bough" check --details fabric --trials 0 --counters "$file" --json >out || fail "$file"
	json "o['counters']['links']['counted'] == 10 and o['counters']['fits'][0]['factor'] == 4e9 and o['counters']['fits'][0]['elsewhere'] == 0"
	json "all(t['share'] == t['predicted_shares'][0] for t in o['counters']['traffic']) and o['counters']['bytes'] == 32 * 4e9"
done
# twice the interval of Prometheus, and the time zone of ibdiagnet
sed 's/17:45:38 UTC +0000/19:45:48 UTC +0200/; s/,3000000000$/,6000000000/; s/,4000000000$/,8000000000/' f.db_csv >later
right "10 s, as the files say" check --details fabric --trials 0 --counters f.db_csv --counters later
also "10 of 10 counted, 128000 MB in all" "0 % of the traffic is on other links than predicted" \
	"1 predicted flow is 4000000000 bytes (median of the links; of the totals 4000000000)"
# 16 GB in 10 s are 12.8 of 100 Gb/s
grep -qE "a/3 -> b/3 +16000 +1600 +12\.8 +12\.5 +12\.5$" out || fail "the rates: $(cat out)"
wrong 2 "are not later than those of the other file" check fabric --counters later --counters f.db_csv
right "5 s, as given" check --details fabric --trials 0 --counters later --counters f.db_csv --interval 5
also "all went down: --counters takes the earlier file first" "10 whose counters went down"
right "counters-rate" check --details fabric --trials 0 --counters f.db_csv --counters later --interval 1

# ---- other traffic ----

# n1 sends to n2 and back, and so do n3 and n4: nothing on the cable between the switches.
sed '/port 3/,/PortXmitData/s/PortXmitData:\.*.*/PortXmitData:..0/' f.perfquery >local
"$bough" check --details fabric --trials 0 --counters local --json >out
json "sorted(o['counters']['fits'][0]['idle']) == ['a/3 -> b/3', 'b/3 -> a/3']"
"$bough" check --details fabric --trials 0 --counters local --place 'n[1-2]' --json >out
json "o['counters']['fits'][0]['idle'] == [] and len(o['counters']['fits'][0]['hot']) == 4"
"$bough" check --details fabric --counters f.perfquery --job shift:k=1 --job shift:k=2 --trials 1 --json >out
json "[f['traffic'] for f in o['counters']['fits']] == ['shift:k=1,m=4', 'shift:k=2,m=4'] and o['counters']['best'] in (0, 1)"
json "all(len(t['predicted_shares']) == 2 for t in o['counters']['traffic'])"

# ---- findings, and the exit status ----

"$bough" check --details fabric --trials 0 --counters f.perfquery --fail-on warn >out || [ $? -eq 3 ] || fail "status"
grep -q "(counters-" out && fail "a finding of counters that are as predicted: $(cat out)"
status=0
"$bough" check --details fabric --trials 0 --counters local --fail-on warn >out || status=$?
[ "$status" -eq 3 ] || fail "status $status with idle links"
also "2 links with predicted traffic and almost none"
sed '1,3d' f.perfquery >less
right "1 of 10 links have no counters (first n1/1 -> a/1); they are not compared (counters-missing)" check --details fabric --trials 0 --counters less
head -n 3 f.perfquery >one_port
right "9 of 10 links have no counters (first n2/1 -> a/2, n3/1 -> b/1, n4/1 -> b/2); they are not compared (counters-missing)" \
	check --details fabric --trials 0 --counters one_port
sed 's/extended counters/counters/; s/PortXmitData:\.*3000000000/PortXmitData:..4294967295/' f.perfquery >full
right "8 of 10 links have counters of 32 bits that stand at their maximum; those of perfquery -x have 64" check --details fabric --trials 0 --counters full

# ---- the page ----

# page WORDS...: the page has them.
page() {
	for words; do grep -qF -- "$words" page.html || fail "no '$words' on the page"; done
}
sed 's/^LinkDowned.*//; /^Port/!b; s/PortXmitData:.*/&\nLinkDownedCounter:..7/' f.perfquery >errors
"$bough" check --details fabric --trials 0 --counters f.db_csv --counters later --html page.html >out
page '<h2 id="counters">Measured counters</h2>' '<dd>10 of 10 counted, 128000 MB in all</dd>' '1 predicted flow is 4000000000 bytes' \
	'<p>busiest links:</p>' '<td>a/3 -&gt; b/3</td><td class="number">16000</td><td class="number">1600</td><td class="number">12.8</td>'
for words in 'almost idle' 'with errors' '<h2 id="slurm">' '<h2 id="placements">'; do
	if grep -qF "$words" page.html; then fail "'$words' on the page"; fi
done
"$bough" check --details fabric --trials 0 --counters local --html page.html >out
page '<p>predicted, and almost idle:</p>' '<td>b/3 -&gt; a/3</td><td class="number">0</td>'
"$bough" check --details fabric --trials 0 --counters errors --html page.html >out
page '<p>5 cables with errors, the worst first:</p>' 'a/3: LinkDownedCounter 7; b/3: LinkDownedCounter 7'
if grep -qF "$tmp" page.html; then fail "the page names the directory"; fi

# ---- CSV, and the number of threads ----

"$bough" check --details fabric --trials 0 --counters f.db_csv --counters later --links l.csv >out
[ "$(grep -c ',measured,counters,' l.csv)" -eq 10 ] || fail "l.csv: $(cat l.csv)"
grep -q ',measured,counters,.*,a,b,.*,100000000000,,1.6e+10,0.128$' l.csv || fail "l.csv: $(cat l.csv)"
"$bough" check --details "$example" --counters f.perfquery --trials 3 --threads 1 >one
"$bough" check --details "$example" --counters f.perfquery --trials 3 --threads 3 >three
cmp one three || fail "threads"
