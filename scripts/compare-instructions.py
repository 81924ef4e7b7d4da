#!/usr/bin/env python3
"""Compares two builds of the benchmark by the instructions that each run of a query takes.

    scripts/compare-instructions.py BASE HEAD pk,feed,group

BASE and HEAD are two `benchmark` binaries. Times of equal code differ by some percent from build to build, because the
code lies elsewhere in memory. Instructions do not. Needs valgrind, whose callgrind counts them within
`PreparedQuery.run`. The small scale leaves out how caches behave.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

FUNCTION = "PreparedQuery.run(_:options:_:)"


def symbol(binary):
    """Returns the mangled name of the function that is counted."""
    listed = subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in listed.splitlines() if "13PreparedQueryC3run" in line]
    demangle = ["swift", "demangle", "--simplified", "--compact", *names]
    readable = subprocess.run(demangle, capture_output=True, text=True, check=True).stdout.split("\n")
    for name, text in zip(names, readable):
        if text.strip() == FUNCTION:
            return name
    sys.exit(f"{binary} has no {FUNCTION}")


def instructions(binary, query):
    """Returns the instructions of a run of a query, on the average."""
    name = symbol(binary)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--collect-atstart=no"]
        tool.append(f"--toggle-collect={name}")
        arguments = ["--no-memory", "--scale", "0.01", "--seconds", "0.0005", "--only", query]
        subprocess.run([*tool, binary, *arguments], capture_output=True, check=True)
        text = out.read_text()
    total = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M).group(1))
    # A function has a number, and its name stands where it comes first.
    numbers = set(re.findall(r"c?fn=\((\d+)\) " + re.escape(name) + r"(?:\s|$)", text))
    calls = 0
    called = None
    for line in text.splitlines():
        if match := re.match(r"cfn=\((\d+)\)", line):
            called = match.group(1)
        elif (match := re.match(r"calls=(\d+)", line)) and called in numbers:
            calls += int(match.group(1))
    if calls == 0:
        sys.exit(f"{query}: {binary} does not run it")
    return total / calls


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(f"{'query':<16}{'base':>12}{'head':>12}   ratio")
    for query in sys.argv[3].split(","):
        base, head = (instructions(binary, query) for binary in sys.argv[1:3])
        print(f"{query:<16}{base:>12.0f}{head:>12.0f}   {head / base:.4f}", flush=True)


if __name__ == "__main__":
    main()
