#!/bin/sh
# docs/gallery.md and its pictures: all of them there, small, valid, and the drawings those of this program.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
pictures=$source/docs/pictures

sed -n 's/.*](pictures\/\([^)]*\)).*/\1/p' "$source/docs/gallery.md" | sort >named
for picture in "$pictures"/*; do # others belong to other pages
	grep -qF "pictures/${picture##*/}" "$source"/docs/*.md || fail "no page shows ${picture##*/}"
done
while read -r name; do
	[ -e "$pictures/$name" ] || fail "the gallery shows $name, which is not there"
	[ "$(wc -c <"$pictures/$name")" -le 65536 ] || fail "$name is larger than 64 kB"
	! command -v xmllint >/dev/null || xmllint --noout "$pictures/$name" || fail "$name is no XML"
	base=${name%.svg}
	grep -qE "^(network|figure) $base " "$source/scripts/gallery" || fail "scripts/gallery does not draw $name"
done <named

# Drawings need neither gnuplot nor time: they are made again.
sed -n 's/^network \([^ ]*\) /\1 /p' "$source/scripts/gallery" >drawings
here=$PWD
cd "$source"
while read -r name arguments; do
	eval "set -- $arguments" # words, some of them quoted
	"$bough" net "$@" -o "$here/$name.svg" || fail "bough net $arguments"
	cmp -s "$here/$name.svg" "$pictures/$name.svg" || fail "$name.svg is out of date: scripts/gallery $name"
done <"$here/drawings"
