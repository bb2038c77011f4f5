#!/bin/sh
# Input that is refused says what is wrong with it, in one line; what a user interrupts ends.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# Two hosts and a cable between them, in lists of cables, and as a tool of InfiniBand prints it.
echo '{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b"}]}' >cable.json
printf 'node,port,node,port\na,1,b,1\n' >cable.csv
echo 'graph { a -- b }' >cable.dot
for ending in json csv dot; do
	right "endpoints   2" net "cable.$ending"
done
echo "CA 1 1 0x0000000000000015 4x HDR - CA 2 1 0x0000000000000029 ( 'h1 mlx5_0' - 'h2 mlx5_0' )" >pair.txt
echo "CA 2 1 0x0000000000000029 4x HDR - CA 1 1 0x0000000000000015 ( 'h2 mlx5_0' - 'h1 mlx5_0' )" >>pair.txt
wrong 2 "the adapter ports with a cable (2) are joined to other hosts; expected cables to switches" net pair.txt

# A ring of switches without hosts: where the format may leave open which nodes are hosts, hosts= names them.
printf 'node,port,node,port\na,1,b,1\nb,2,c,1\nc,2,a,2\n' >ring.csv
wrong 2 "none of 3 nodes is a host with a cable to a switch; hosts are nodes with one cable, or those that ibnet:FILE,hosts=REGEX names" net ring.csv
right "endpoints   2" net ibnet:ring.csv,hosts=^a
right "endpoints   3" net ibnet:ring.csv,hosts=.
right "switches    3" net ibnet:ring.csv,hosts=.

# The lines of the adapters alone.
echo "CA 5 1 0x0000000000000015 4x HDR - SW 9 3 0x0000000000000029 ( 'h1 mlx5_0' - 'leaf1' )" >adapters.txt
wrong 2 "none of 1 adapter ports has a cable to a node of the file; expected the switches" net adapters.txt

# Numbers beyond the limit are whole numbers.
for number in 9223372036854775808 18446744073709551616 2^63; do
	wrong 2 "n=$number is too large; 2^62 is the limit" sim "fattree:n=$number" uniform bins
done

# JSON as some editors and programs write it.
star='{"nodes":[{"id":"a"},{"id":"b"},{"id":"s"}],"links":[{"source":"a","target":"s"},{"source":"b","target":"s"}]}'
printf '\357\273\277%s\n' "$star" >mark.json
right "endpoints   2" net mark.json
echo '{"nodes":[{"id":"a\u0000"}],"links":[]}' >null.json
wrong 2 "a null character (\\u0000)" net null.json

# An archive without files, packed too.
head -c 10240 /dev/zero >empty.tar
gzip -k empty.tar
wrong 2 "empty.tar: the archive contains no files" check empty.tar
wrong 2 "empty.tar.gz: the archive contains no files" check empty.tar.gz

# A device without an end is not read to the end of the memory.
(
	# shellcheck disable=SC3045 # where the shell has it
	ulimit -v 2000000 2>/dev/null || true
	wrong 2 "/dev/zero: is a device; expected a file" net /dev/zero
	# nor are the tables of a network computed that is too large
	wrong 2 "at most 65536 are possible" check xgft:down=128x128x32,up=1x16x16 --routing updn
) || exit 1

# What can be refused is refused before the work: within seconds, of commands that take minutes.
printf 'study: Many\nnetwork: fattree:n=8\ntraffic: uniform:m=8\nmethods: [bins]\n' >many.yaml
printf 'grid:\n  - a: 1..1000\n  - b: 1..1000\n  - c: 1..1000\nonly: a + b + c > 4000\n' >>many.yaml
# two nodes, of which the second is an allreduce of 1000 bytes on all ranks
printf '\007\n\0050.0.4\t\010\001\022\001n\030\0048d(\010\002\022\001n\030\0078\000' >short.et
printf 'R\r\n\tcomm_typeH\000R\016\n\tcomm_sizeH\350\007' >>short.et
(
	# shellcheck disable=SC3045 # where the shell has it
	ulimit -t 10 2>/dev/null || true
	wrong 2 "Verilog is written for fattree" net clos:hosts=65536 -o o.v --check
	wrong 2 "o.xyz: unknown file ending" net clos:hosts=2^30 -o o.xyz --check
	wrong 2 "delay=5 is not a time with its unit" sim fattree:n=16384 allreduce:size=1MB flow:delay=5
	wrong 2 "no method 'flwo'" run many.yaml --dry-run --set 'methods=flwo' --set 'c=2^40' --set 'only=a > 0' \
		--set a=1 --set b=1 --set 'network=fattree:n=2^24'
	wrong 2 "no parameter 'size'" check fattree:n=16384 --routing dmodk --job shift:size=5x
	wrong 2 "more than 10000000 combinations" run many.yaml --dry-run
	wrong 2 "16777216 ranks, but fattree:n=16 has 16 endpoints" sim fattree:n=16 chakra:short.et,ranks=2^24 loggops
	wrong 2 "is neither a traffic" plan --hosts 1e6 --radix 512 --taper 1000 --job nosuch:size=1
	wrong 2 "expected name or name:key=value" plan --hosts 1e6 --radix 512 --taper 1000 --job shift --physical delay=5
	wrong 2 "no traffic 'nosuch'" tune clos:hosts=65536 --job nosuch:size=1
	for objective in alltoall shifts worst; do
		wrong 2 "switches times endpoints may be" tune fattree:n=2^20 --for $objective
	done
) || exit 1

# Two files of one name.
tree=xgft:down=2x2,up=1x1
wrong 2 "--links and --html name the same file, x" check "$tree" --links x --html x
wrong 2 "--trace and --links name the same file, x" sim "$tree" alltoall:shift,size=1kB flow --trace x --links x
[ ! -e x ] || fail "a file of a refused question"

# A store that this user may not read. Root may read all.
mkdir closed
: >closed/results.sqlite
chmod 000 closed/results.sqlite
if [ ! -r closed/results.sqlite ]; then
	wrong 1 "closed/results.sqlite: cannot be opened: Permission denied" report closed
fi

# gnuplot is not looked for where the figures are: DIR/gnuplot is anybody's.
cat >study.yaml <<'END'
study: Small
network: fattree:n={n}
traffic: uniform
methods: [bins]
grid:
  - n: [8, 16]
trials: 2
plot: {x: n, y: rounds}
END
mkdir figures
printf '#!/bin/sh\necho ran >"%s/ran"\n' "$tmp" >figures/gnuplot
chmod +x figures/gnuplot
PATH=.:/nonexistent "$bough" run study.yaml --out results --figures figures >out.txt 2>err || fail "$(cat err)"
[ ! -e ran ] || fail "figures/gnuplot was run"

# The first signal ends a command that waits for standard input.
mkfifo pipe
sleep 60 >pipe &
writer=$!
"$bough" check - <pipe >out.txt 2>err &
reader=$!
sleep 0.5
kill -TERM "$reader"
status=0
ended=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	kill -0 "$reader" 2>/dev/null || ended=1
	[ -z "$ended" ] || break
	sleep 0.25
done
[ -n "$ended" ] || kill -KILL "$reader"
wait "$reader" || status=$?
kill "$writer"
[ "$status" -eq 130 ] || [ "$status" -eq 143 ] || fail "check - under SIGTERM: status $status: $(cat err)"
[ "$(wc -l <err)" -le 1 ] || fail "check - under SIGTERM: $(cat err)"
