#!/usr/bin/env python3
"""Completion: the candidates of `bough --complete`, and what bash, zsh and fish make of them.

    tests/cli/completion_test.py BOUGH ROOT

bash and zsh run in a pseudo-terminal: a line is typed, then tab, then a key that writes the edited line to a file. fish
prints its candidates (`complete -C`). A shell that is not installed is left out; skipped (77) without bash."""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

BOUGH, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
SCRIPTS = os.path.join(ROOT, "cmake/completion")
FABRIC = os.path.join(ROOT, "examples/fabric")
failures = 0


def expect(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


def candidates(*words):
    """(what stays of the last word, {candidate: letter}, letters of file names)"""
    run = subprocess.run([BOUGH, "--complete", *words], capture_output=True, text=True)
    expect(run.returncode == 0 and not run.stderr, f"{words}: exit status {run.returncode} {run.stderr}")
    kept, *lines = run.stdout.split("\n")[:-1]
    rows = [line.split("\t") for line in lines]
    expect(all(len(row) == 3 for row in rows), f"{words}: three columns")
    return kept, {text: letter for letter, text, _ in rows if letter in "wp"}, {row[0] for row in rows} & {"f", "d"}


def offers(words, kept, has=(), lacks=(), files=""):
    found, texts, names = candidates(*words)
    expect(found == kept, f"{words}: '{found}' stays, not '{kept}'")
    expect(set(has) <= set(texts), f"{words} offers {list(texts)}, not {has}")
    expect(not set(lacks) & set(texts), f"{words} offers {list(texts)}, among them {lacks}")
    expect(names == set(files), f"{words}: file names {names}")


def test_candidates():
    # nothing to offer is no error
    for words in ([], ["nosuch", ""], ["sim", "nosuch:"], ["sim", "nosuch:a=1,"], ["sim", "fattree:nosuch="], ["sim", "--nosuch="],
                  ["sim", "fattree:n=\"", "x"], ["list", "flow", "x", "y"], ["plan", "x"], ["sim", "--", "--"], ["net", "bft", "x"]):
        run = subprocess.run([BOUGH, "--complete", *words], capture_output=True)
        expect(run.returncode == 0 and not run.stderr, f"{words}: {run}")
    offers([""], "", ["sim", "check", "list", "--version"])
    offers(["si"], "", ["sim"], ["check"])
    offers(["sim", ""], "", ["fattree", "xgft:"], ["uniform", "flow"], "f")
    offers(["sim", "fattree:"], "fattree:", ["n="])
    offers(["sim", "fattree:n="], "fattree:n=", [])
    offers(["sim", "xgft:down=16x16,"], "xgft:down=16x16,", ["up=", "links="], ["down="])
    offers(["sim", "xgft:16x16,"], "xgft:16x16,", ["up="], ["down="])  # the value of the first key
    offers(["sim", "xgft:down=4,up=1", "al"], "", ["allreduce", "alltoall"], ["adversary"])
    offers(["sim", "bft", "allreduce:ring", "c"], "", ["circuit", "collision"], ["cm"])  # a job is given
    offers(["sim", "bft", "flow", "all"], "", ["allreduce"])  # in any order
    offers(["sim", "bft", "bitreverse", "all"], "", [], ["allreduce"])  # an alias
    offers(["sim", "bft", "circuit:mode="], "circuit:mode=", ["attempt", "rounds", "cycles"])
    offers(["sim", "bft", "circuit:mode=rounds,"], "circuit:mode=rounds,", ["limit="], ["mode="])
    offers(["sim", "bft", "allreduce:"], "allreduce:", ["algo=", "ring"])
    offers(["sim", "bft", "allreduce:ring,"], "allreduce:ring,", ["size="], ["algo=", "ring"])
    offers(["sim", "bft", "poisson:pattern=shift,"], "poisson:pattern=shift,", ["load="], ["pattern="])
    offers(["sim", "bft", 'poisson:pattern="shift:k=1,m=2",'], 'poisson:pattern="shift:k=1,m=2",', ["load="], ["pattern="])
    offers(["sim", "bft", "poisson:pattern=sh"], "poisson:pattern=", ["shift", "shuffle"], ["poisson"])
    offers(["sim", "--routing", "d"], "", ["dmodk"], ["random"])
    offers(["sim", "--routing=d"], "--routing=", ["dmodk"], ["random"])
    offers(["sim", "--routing", "lft:"], "lft:", ["file="], files="f")
    offers(["sim", "bft", "--r"], "", ["--routing"])
    offers(["sim", "bft", "--seed", "1", "--se"], "", [], ["--seed"])  # once
    offers(["sim", "bft", "--routing", "dmodk", "--ro"], "", ["--routing"])  # repeatable
    offers(["sim", "bft", "--plugin", ""], "", files="f")
    offers(["sim", "--plugin", "nosuch.so", "bf"], "", ["bft"], files="f")  # one that cannot be loaded does no harm
    offers(["net", "bft", "-o", ""], "", files="f")
    offers(["net", "bft", "--faults", "links:share=5%+chi"], "links:share=5%+", ["chips"], ["links"])
    offers(["check", "--opensm", "ftree,d"], "ftree,", ["dnup", "dor", "dfsssp"], ["ftree"])
    offers(["check", "x", "--job", "allreduce:place="], "allreduce:place=", ["linear", "rail"], files="f")
    offers(["check", "x", "--fail-on", ""], "", ["warn", "error"])
    offers(["report", ""], "", files="d")
    offers(["run", "strumpen2005/fig"], "", ["strumpen2005/fig4"], ["flow/taper"], "f")
    offers(["list", ""], "", ["methods", "circuit"])
    offers(["list", "methods", ""], "", ["circuit"], ["fattree"])
    # a blank follows what is complete
    for words, text, letter in ((["si"], "sim", "w"), (["net", "fat"], "fattree", "p"), (["net", "fattree:"], "n=", "p"),
                                (["sim", "bft", "bin"], "bins", "p"), (["sim", "bft", "chan"], "channels", "w"),
                                (["sim", "bft", "circuit:mode=a"], "attempt", "p"), (["check", "--fail-on", "w"], "warn", "w")):
        expect(candidates(*words)[1].get(text) == letter, f"{words}: {text} is not {letter}")


class Shell:
    """An interactive shell whose key ^X ^W writes the edited line to the file `line`."""

    def __init__(self, directory, command, setup):
        self.line = os.path.join(directory, "line")
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(FABRIC)
            os.environ.update(PATH=os.path.dirname(BOUGH) + ":" + os.environ["PATH"], TERM="dumb", LINE=self.line,
                              INPUTRC="/dev/null", ZDOTDIR=directory, HISTFILE="/dev/null", SCRIPTS=SCRIPTS)
            os.execvp(command[0], command)
        self.send(setup + "\n")
        self.send("echo ready >$LINE\n")
        self.result()

    def send(self, text):
        os.write(self.terminal, text.encode())

    def result(self):
        """The file, once it is there; what the shell prints is thrown away."""
        for _ in range(6000):
            while select.select([self.terminal], [], [], 0.01)[0]:
                os.read(self.terminal, 65536)
            if os.path.exists(self.line) and open(self.line).read().endswith("\n"):
                text = open(self.line).read()[:-1]
                os.remove(self.line)
                return text
        raise TimeoutError("the shell does not answer")

    def complete(self, typed):
        self.send("\x15" + typed + "\t\x18\x17")
        return self.result()

    def close(self):
        os.close(self.terminal)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


BASH = """bind 'set bell-style none' 'set show-all-if-ambiguous off' 2>/dev/null; source "$SCRIPTS/bough.bash"; """ \
    """put() { printf '%s\\n' "$READLINE_LINE" >"$LINE"; }; bind -x '"\\C-x\\C-w": put'"""
ZSH = """unsetopt beep; fpath=("$SCRIPTS" $fpath); autoload -Uz compinit; compinit -u -D; """ \
    """put() { print -r -- "$BUFFER" >$LINE }; zle -N put; bindkey '^X^W' put; bindkey '^U' kill-whole-line; """ \
    """bindkey '^I' complete-word; unsetopt auto_menu menu_complete auto_list; PS1='> '"""

TYPED = {  # what tab makes of it
    "bough chec": "bough check ",
    "bough sim fat": "bough sim fattree",
    "bough sim xg": "bough sim xgft:",
    "bough sim fattree:": "bough sim fattree:n=",
    "bough sim xgft:down=16x16,up=1x16,l": "bough sim xgft:down=16x16,up=1x16,links=",
    "bough sim xgft:down=16x16,up=1x16 allr": "bough sim xgft:down=16x16,up=1x16 allreduce",
    "bough sim bft circuit:mode=r": "bough sim bft circuit:mode=rounds",
    "bough sim bft --routing=dm": "bough sim bft --routing=dmodk ",
    "bough sim bft --csv-": "bough sim bft --csv-safe ",
    "bough check cluster.ib": "bough check cluster.ibnetdiscover ",
    "bough check x --lft cluster.f": "bough check x --lft cluster.ftree.lfts.gz ",
    "bough check x --routing lft:cluster.f": "bough check x --routing lft:cluster.ftree.lfts.gz ",
    "bough check x --routing=lft:file=cluster.f": "bough check x --routing=lft:file=cluster.ftree.lfts.gz ",
    "bough check x --faults links:share=5%+chi": "bough check x --faults links:share=5%+chips",
    "true && bough run strumpen2005/fig4": "true && bough run strumpen2005/fig4 ",
}


def test_terminal(directory, command, setup):
    shell = Shell(directory, command, setup)
    try:
        for typed, line in TYPED.items():
            got = shell.complete(typed)
            expect(got == line, f"{command[0]}: '{typed}' becomes '{got}', not '{line}'")
    finally:
        shell.close()


def test_bash_lists():
    """The function alone, which lists more than one candidate; the third column is the part that bash replaces."""
    for line, word, listed in (("bough sim xgft:down=16x16,", "16x16,", "16x16,hosts= 16x16,links= 16x16,up="),
                               ("bough sim 'xgft:down=16x16,", "xgft:down=16x16,",
                                "xgft:down=16x16,hosts= xgft:down=16x16,links= xgft:down=16x16,up="),
                               ("bough sim bft circuit:mode=", "", "attempt cycles rounds")):
        script = 'source "$1"; compopt() { :; }; COMP_LINE=$2 COMP_POINT=${#2}; _bough "$4" "$3"; printf "%s\\n" "${COMPREPLY[@]}"'
        run = subprocess.run(["bash", "-c", script, "bash", f"{SCRIPTS}/bough.bash", line, word, BOUGH], capture_output=True, text=True)
        expect(" ".join(sorted(run.stdout.split())) == listed, f"bash lists {run.stdout.split()} {run.stderr}")


def test_fish(directory):
    for line, listed in (("bough chec", ["check"]), ("bough sim fat", ["fattree", "fattree:"]), ("bough sim fattree:", ["fattree:n="]),
                         ("bough sim bft circuit:mode=", ["circuit:mode=" + v for v in ("attempt", "rounds", "cycles")]),
                         ("bough sim bft --routing=dm", ["--routing=dmodk"]),
                         ("bough check x --routing lft:cluster.f", ["lft:cluster.ftree.lfts.gz"])):
        run = subprocess.run(["fish", "-N", "-c", f'source {SCRIPTS}/bough.fish; complete -C "{line}"'], capture_output=True, text=True,
                             cwd=FABRIC, env={**os.environ, "HOME": directory, "PATH": os.path.dirname(BOUGH) + ":" + os.environ["PATH"]})
        got = [each.split("\t")[0] for each in run.stdout.split("\n") if each]
        expect(sorted(got) == sorted(listed), f"fish: '{line}' offers {got} {run.stderr}")


def main():
    if not shutil.which("bash"):
        print("bash is missing")
        sys.exit(77)
    test_candidates()
    test_bash_lists()
    with tempfile.TemporaryDirectory() as directory:
        test_terminal(directory, ["bash", "--norc", "--noprofile", "-i"], BASH)
        if shutil.which("zsh"):
            test_terminal(directory, ["zsh", "-f", "-i"], ZSH)
        else:
            print("zsh is not installed")
        if shutil.which("fish"):
            test_fish(directory)
        else:
            print("fish is not installed")
    sys.exit(failures > 0)


main()
