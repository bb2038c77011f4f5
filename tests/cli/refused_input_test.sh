#!/bin/sh
# Input that is refused says what is wrong with it, in one line; what a user interrupts ends.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# Two hosts and a cable between them, in formats without adapters and LIDs.
echo '{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b"}]}' >cable.json
printf 'node,port,node,port\na,1,b,1\n' >cable.csv
echo 'graph { a -- b }' >cable.dot
for ending in json csv dot; do
	wrong 2 "no host, or adapter port with a LID, has a cable to a switch" net "cable.$ending"
done

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
