#!/bin/sh
# An installed tree: what it exports, and examples/embed in C and C++ through pkg-config and through find_package.
#
#     tests/api/installed_test.sh BUILD SOURCE CC [CXX]
set -eu

build=$(cd "$1" && pwd) source=$(cd "$2" && pwd) cc=$3 cxx=${4-}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bough-installed.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

# DESTDIR and prefix: the tree lies elsewhere while it is packed
DESTDIR=$tmp/stage cmake --install "$build" --prefix /opt/bough >"$tmp/log" || fail "$(cat "$tmp/log")"
[ -x "$tmp/stage/opt/bough/bin/bough" ] || fail "DESTDIR is not honoured"
cmake --install "$build" --prefix "$tmp/tree" >"$tmp/log" || fail "$(cat "$tmp/log")"
library=$(dirname "$(find "$tmp/tree" -name libbough.so)")

# Every file, and no path of the build in any of them; debug information may have some.
lib=${library#"$tmp/tree/"}
{
	cat <<-END
		bin/bough
		include/bough-ext.h
		include/bough.h
		include/bough/status.h
		$lib/cmake/bough/boughConfig.cmake
		$lib/cmake/bough/boughConfigVersion.cmake
		$lib/libbough.a
		$lib/libbough.so
		$lib/libbough.so.0.1
		$lib/libbough.so.0.1.0
		$lib/pkgconfig/bough.pc
		share/bash-completion/completions/bough
		share/bough/schema/bough-2.schema.json
		share/fish/vendor_completions.d/bough.fish
		share/zsh/vendor-completions/_bough
	END
	if [ -e "$build/bough-mpi.so" ]; then echo "$lib/bough/bough-mpi.so"; fi # with MPI
	if [ -e "$build/man" ]; then # not without python3
		for command in "" -list -net -sim -run -report -merge -check -plan -tune; do echo "share/man/man1/bough$command.1"; done
		echo share/man/man7/bough-spec.7
	fi
	cd "$source"
	find studies -type f | sed 's,^,share/bough/,'
	find examples -type f | sed 's,^,share/doc/bough/,'
} | LC_ALL=C sort >"$tmp/wanted"
(cd "$tmp/tree" && find . ! -type d | sed 's,^./,,; /boughConfig-[a-z]*.cmake$/d; /python/d' | LC_ALL=C sort) >"$tmp/installed"
cmp -s "$tmp/wanted" "$tmp/installed" || fail "installed: $(diff "$tmp/wanted" "$tmp/installed")"
cp -r "$tmp/tree" "$tmp/stripped"
find "$tmp/stripped" \( -name bough -path '*/bin/*' -o -name 'libbough*' -type f -o -name bough-mpi.so \) -exec strip --strip-debug {} +
paths=$(grep -rlF -e "$build" -e "$source" "$tmp/stripped") && fail "paths of the build in $paths"
"$tmp/tree/bin/bough" sim fattree:n=16 shift linkload >/dev/null || fail "the installed command does not run"
headers=$tmp/tree/include

# Symbols: what the headers declare, and nothing else; of the package of Debian, too.
sed -n 's/^BOUGH_API .*\(bough_[a-z0-9_]*\)(.*/\1/p' "$headers/bough.h" "$headers/bough-ext.h" \
	"$headers/bough/status.h" | sort -u >"$tmp/declared"
nm -D --defined-only "$library/libbough.so" | awk '{print $3}' | sort -u >"$tmp/shared"
nm -g --defined-only "$library/libbough.a" | awk 'NF == 3 {print $3}' | sort -u >"$tmp/archive"
sed -n 's/^ \(.*\)@Base [0-9.]*$/\1/p' "$source/debian/libbough0.1.symbols" | sort -u >"$tmp/debian"
for kind in shared archive debian; do
	cmp -s "$tmp/declared" "$tmp/$kind" || fail "$kind: $(diff "$tmp/declared" "$tmp/$kind")"
done
[ "$(grep -c '^BOUGH_API' "$headers/bough.h")" -le 45 ] || fail "bough.h declares more than 45 functions"

# Headers alone, in both languages.
for header in bough.h bough-ext.h bough/status.h; do
	echo "#include <$header>" >"$tmp/alone.c"
	cp "$tmp/alone.c" "$tmp/alone.cpp"
	"$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$headers" "$tmp/alone.c" || fail "$header in C"
	[ -z "$cxx" ] || "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$headers" "$tmp/alone.cpp" ||
		fail "$header in C++"
done

run() {
	LD_LIBRARY_PATH=$library "$1" >"$tmp/out" || fail "$1: exit status $?"
	grep -q '^rounds [0-9.]* rounds$' "$tmp/out" || fail "$1 printed: $(cat "$tmp/out")"
}
export PKG_CONFIG_PATH="$library/pkgconfig"
flags=$(pkg-config --cflags --libs bough)
# shellcheck disable=SC2086 # flags are words
"$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror "$source/examples/embed/hello.c" $flags -o "$tmp/hello"
run "$tmp/hello"
# shellcheck disable=SC2046
"$cc" -std=c17 "$source/examples/embed/hello.c" $(pkg-config --cflags bough) "$library/libbough.a" \
	$(pkg-config --static --libs bough | sed 's/-lbough//') -o "$tmp/static"
run "$tmp/static"
! readelf -d "$tmp/static" | grep -q libbough || fail "the archive was not used"
if [ -n "$cxx" ]; then
	# shellcheck disable=SC2086
	"$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror "$source/examples/embed/hello.cpp" $flags -o "$tmp/hellopp"
	run "$tmp/hellopp"
fi

cp -r "$source/examples/embed" "$tmp/embed"
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
cmake -S "$tmp/embed" -B "$tmp/embed/build" -G "$generator" -DCMAKE_PREFIX_PATH="$tmp/tree" -DCMAKE_C_COMPILER="$cc" >"$tmp/log" 2>&1 &&
	cmake --build "$tmp/embed/build" >>"$tmp/log" 2>&1 || fail "find_package: $(tail -n 20 "$tmp/log")"
run "$tmp/embed/build/hello"

# The plug-in of docs/extending.md, by its command.
awk '/^    #include <bough-ext.h>/ {on = 1} on && /^It is/ {exit} on {print substr($0, 5)}' "$source/docs/extending.md" \
	>"$tmp/opposite.c"
# shellcheck disable=SC2046
"$cc" -std=c17 -Wall -Wextra -Wno-unused-parameter -Werror -shared -fPIC $(pkg-config --cflags bough) "$tmp/opposite.c" \
	-o "$tmp/opposite.so" || fail "the plug-in of docs/extending.md"
if [ -n "$cxx" ]; then
	cp "$tmp/opposite.c" "$tmp/opposite.cpp"
	# shellcheck disable=SC2046
	"$cxx" -std=c++20 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror -shared -fPIC \
		$(pkg-config --cflags bough) "$tmp/opposite.cpp" -o "$tmp/oppositepp.so" || fail "the same in C++"
	"$tmp/tree/bin/bough" --plugin "$tmp/oppositepp.so" list opposite >"$tmp/out" || fail "a plug-in in C++"
fi
"$tmp/tree/bin/bough" --plugin "$tmp/opposite.so" sim fattree:n=64 opposite circuit --routing dmodk >"$tmp/out" ||
	fail "the plug-in of docs/extending.md is refused"

# Plug-ins need the headers only.
cp -r "$source/examples/plugin" "$tmp/plugin"
cmake -S "$tmp/plugin" -B "$tmp/plugin/build" -G "$generator" -DCMAKE_PREFIX_PATH="$tmp/tree" -DCMAKE_C_COMPILER="$cc" >"$tmp/log" 2>&1 &&
	cmake --build "$tmp/plugin/build" >>"$tmp/log" 2>&1 || fail "examples/plugin: $(tail -n 20 "$tmp/log")"
for plugin in groups opposite spread; do
	echo "$tmp/plugin/build/$plugin.so"
done | paste -sd: >"$tmp/plugins"
BOUGH_PLUGINS=$(cat "$tmp/plugins") "$tmp/tree/bin/bough" sim groups opposite flow:size=1MB --routing spread \
	--trials 20 >"$tmp/out" 2>"$tmp/log" || fail "plug-ins: $(cat "$tmp/log")"
grep -q completion_time "$tmp/out" || fail "plug-ins printed: $(cat "$tmp/out")"
exit 0
