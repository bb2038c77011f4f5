# shellcheck shell=sh
# What the scripts here share; to be sourced with $bough set. Works in a temporary directory of its own.
: "${bough:?}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bough-cli.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# unfolded: from now on bough prints lines of up to 1000 characters, so that a statement is one line.
unfolded() {
	COLUMNS=1000
	export COLUMNS
}

# wrong STATUS TEXT ARGUMENT...: bough must exit with STATUS, print nothing, and say one line that holds TEXT.
wrong() {
	want=$1
	text=$2
	shift 2
	status=0
	"$bough" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$want" ] || fail "bough $*: status $status, not $want: $(cat err)"
	[ ! -s out ] || fail "bough $*: standard output is not empty"
	[ "$(wc -l <err)" -eq 1 ] || fail "bough $*: $(wc -l <err) lines: $(cat err)"
	case $(cat err) in
	"bough: "*"$text"*) ;;
	*) fail "bough $*: expected '$text' in: $(cat err)" ;;
	esac
}

# holds TEXT: the file out has it, with as many blanks, or with one between the cells of a table.
holds() {
	grep -qF -- "$1" out || tr -s ' ' <out | grep -qF -- "$1"
}

# right TEXT ARGUMENT...: bough must succeed and print TEXT somewhere; all of it is in the file out.
right() {
	text=$1
	shift
	"$bough" "$@" >out 2>err </dev/null || fail "bough $*: status $?: $(cat err)"
	[ ! -s err ] || fail "bough $*: said $(cat err)"
	holds "$text" || fail "bough $*: expected '$text' in: $(cat out)"
}

# also TEXT...: the file out holds each of them.
also() {
	for text; do
		holds "$text" || fail "expected '$text' in: $(cat out)"
	done
}

# closed ARGUMENT...: bough must say nothing when nobody reads what it prints. The reader is gone before it starts.
closed() {
	rm -f pipe
	mkfifo pipe
	# shellcheck disable=SC2094 # a pipe
	exec 3<>pipe 4>pipe 3>&-
	status=0
	"$bough" "$@" >&4 2>err </dev/null || status=$?
	exec 4>&-
	[ ! -s err ] || fail "bough $*, a closed pipe: said $(cat err)"
	[ "$status" -eq 1 ] || fail "bough $*, a closed pipe: status $status"
}

# json PYTHON: the file out must be one JSON object o for which PYTHON holds; not looked at where there is no python3.
json() {
	command -v python3 >/dev/null || return 0
	python3 - "$1" <<'PY' || fail "not so: $1 in $(head -c 2000 out)"
import json, sys

def unique(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), "a key twice: %s" % keys
    return dict(pairs)

def no_constant(name):
    raise ValueError(name + " is no JSON")

o = json.load(open("out", encoding="utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
sys.exit(0 if eval(sys.argv[1]) else 1)
PY
}
