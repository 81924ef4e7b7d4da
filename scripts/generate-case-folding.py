#!/usr/bin/env python3
"""Writes Sources/Base/CaseFolding+Table.swift: full case folding (statuses C and F) from Python's Unicode data."""

import pathlib
import sys
import unicodedata

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "Sources/Base/CaseFolding+Table.swift"
PER_LINE = 9


def mappings():
    """Every code point beyond ASCII that folding changes, with what it becomes."""
    for code in range(0x80, sys.maxunicode + 1):
        if 0xD800 <= code <= 0xDFFF:
            continue
        folded = [ord(c) for c in chr(code).casefold()]
        if folded != [code]:
            yield code, folded


def ranges(simple):
    """Joins code points of one distance, one or two apart: [first, last, step, distance]."""
    result = []
    for code, target in simple:
        delta = target - code
        if result:
            first, last, step, distance = result[-1]
            gap = code - last
            if distance == delta and gap in (1, 2) and (first == last or gap == step):
                result[-1] = [first, code, gap, distance]
                continue
        result.append([code, code, 1, delta])
    return result


def array(name, comment, values):
    lines = [f"  /// {comment}", f"  static let {name}: [UInt32] = ["]
    for start in range(0, len(values), PER_LINE):
        lines.append("    " + ", ".join(f"0x{v:X}" for v in values[start : start + PER_LINE]) + ",")
    lines.append("  ]")
    return lines


def main():
    simple, full = [], []
    for code, folded in mappings():
        if len(folded) == 1:
            simple.append((code, folded[0]))
        else:
            full.append((code, folded))
    flat_ranges = []
    for first, last, step, delta in ranges(simple):
        flat_ranges += [first, last | (step << 24), delta & 0xFFFFFFFF]
    flat_full = []
    for code, folded in full:
        assert len(folded) <= 3
        flat_full += [code] + folded + [0] * (3 - len(folded))
    lines = [
        "// Written by scripts/generate-case-folding.py; change that instead.",
        "",
        "extension CaseFolding {",
        f'  static let unicodeVersion = "{unicodedata.unidata_version}"',
        "",
    ]
    lines += array(
        "ranges",
        "Three for each run: the first code point; the last, with the step in the top byte; what to add, wrapping.",
        flat_ranges,
    )
    lines.append("")
    lines += array(
        "expansions", "Four for each code point that becomes several: itself and up to three, then zeros.", flat_full
    )
    lines += ["}", ""]
    OUTPUT.write_text("\n".join(lines))
    print(f"{len(simple)} simple in {len(flat_ranges) // 3} runs, {len(full)} full")


if __name__ == "__main__":
    main()
