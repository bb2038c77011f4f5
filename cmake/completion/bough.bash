# bash completion of bough(1). `bough --complete` finds the candidates.

# Sets `words` to the words of a line. Unlike COMP_WORDS they are not split at the : and = of COMP_WORDBREAKS.
_bough_words() {
	local line=$1 quote='' i char
	words=('')
	for ((i = 0; i < ${#line}; i++)); do
		char=${line:i:1}
		case $quote$char in
		[\"\']) quote=$char ;;
		\"\" | \'\') quote='' ;;
		\\ | \"\\) words[-1]+=${line:++i:1} ;;
		' ' | $'\t') [[ -z ${words[-1]} ]] || words+=('') ;;
		*) words[-1]+=$char ;;
		esac
	done
}

_bough() {
	local words kept kind text option='' names=''
	_bough_words "${COMP_LINE:0:COMP_POINT}"
	local word=${words[-1]} replaced=${2//[\"\'\\]/}
	local -i before=$((${#word} - ${#replaced})) # what stands before the part that bash replaces
	COMPREPLY=()
	while IFS=$'\t' read -r kind text _; do
		case $kind in
		[wp])
			names=yes
			COMPREPLY+=("${text:before}")
			[[ $kind = w ]] || option=nospace
			;;
		[fd])
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "-$kind" -P "${text:before}" -- "${word:${#text}}")
			;;
		esac
	done < <("$1" --complete "${words[@]:1}" 2>/dev/null | {
		IFS= read -r kept
		while IFS=$'\t' read -r kind text _; do printf '%s\t%s\n' "$kind" "$kept$text"; done
	})
	# bash quotes names of files only: in a spec a quoted colon would be wrong
	[[ $names || ${#COMPREPLY[@]} -eq 0 ]] || option=filenames
	[[ -z $option ]] || compopt -o "$option"
}
complete -F _bough bough
