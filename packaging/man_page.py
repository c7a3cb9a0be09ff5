"""man_page.py PROGRAM: the man page assay(1), made from what `PROGRAM help` says."""
import re
import subprocess
import sys

program = sys.argv[1]


def said(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True, env={"NO_COLOR": "1"})
    return done.stdout


def plain(text):
    """A text that roff shows as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.splitlines())


def block(text):
    return f".nf\n{plain(text.strip(chr(10)))}\n.fi"


general = said("help")
version = re.search(r"\d+\.\d+\.\d+", general).group()
first, rest = general.split("\n", 1)
commands = re.search(r"^Commands\n((?:  .*\n)+)", general, re.M).group(1)
names = [line.split()[0] for line in commands.splitlines()]

print(f'.TH ASSAY 1 "" "assay {version}" "User commands"')
print(f".SH NAME\nassay \\- {plain(first.split(': ', 1)[1])}")
print(".SH SYNOPSIS\n.B assay\n.I COMMAND\n[\\fIwords\\fR]... [\\fB\\-\\-KEY VALUE\\fR]...")
print(f".SH DESCRIPTION\n{block(rest)}")
for name in names:
    if name not in ("run", "check", "score", "resume", "help"):  # those take the keys of an evaluation
        print(f".SH {name.upper()}\n{block(said('help', name))}")
print(".SH SEE ALSO\n.I /usr/share/doc/assay/docs/index.md")
