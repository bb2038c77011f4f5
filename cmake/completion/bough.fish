# fish completion of bough(1). `bough --complete` finds the candidates.

function __bough_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program --complete $words "$current" 2>/dev/null)
    set -l kept $lines[1]
    set -e lines[1]
    for line in $lines
        set -l part (string split \t -- $line)
        switch $part[1]
            case w
                printf '%s%s\t%s\n' $kept $part[2] $part[3]
            case p
                printf '%s%s\t%s\n' $kept $part[2] $part[3]
                # fish puts a blank after a word that is the only one: a name may go on with a colon
                if test (count (string match -r '^[wp]' -- $lines)) -eq 1; and not string match -qr '[=:]$' -- $part[2]
                    printf '%s%s:\t%s\n' $kept $part[2] $part[3]
                end
            case f
                printf "$kept%s\n" (__fish_complete_path (string sub -s (math (string length -- $kept) + 1) -- $current))
            case d
                printf "$kept%s\n" (__fish_complete_directories (string sub -s (math (string length -- $kept) + 1) -- $current) '')
        end
    end
end

complete -c bough -f -a '(__bough_complete)'
