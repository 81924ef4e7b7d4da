#!/usr/bin/env python3
"""Writes Sources/Text/WordClass+Table.swift: how each code point takes part in words, from Python's Unicode data."""

import pathlib
import sys
import unicodedata

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "Sources/Text/WordClass+Table.swift"
PER_LINE = 9

# Scripts that are written without spaces: each of their letters is a word, which makes every word of theirs a phrase.
# Katakana is not among them, because its words are runs.
ALONE = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA LETTER", "TANGUT IDEOGRAPH", "NUSHU CHARACTER",
    "THAI CHARACTER", "LAO LETTER", "LAO VOWEL", "KHMER LETTER", "KHMER INDEPENDENT", "MYANMAR LETTER", "TAI LE LETTER",
    "NEW TAI LUE LETTER", "TAI THAM LETTER", "TAI VIET LETTER",
)
# By block, because their names are made from their numbers in some versions of Unicode's data.
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x17000, 0x18D08), (0x20000, 0x3FFFD))


def word_class(code):
    """0 separates, 1 is part of a word, 2 extends what stands before it, 3 is a word by itself."""
    character = chr(code)
    category = unicodedata.category(character)
    if category[0] == "M" or code in (0x200C, 0x200D, 0x00AD):
        return 2
    if category[0] not in "LN":
        return 0
    if any(first <= code <= last for first, last in IDEOGRAPHS):
        return 3
    if category[0] == "L" and unicodedata.name(character, "").startswith(ALONE):
        return 3
    return 1


def main():
    runs = []
    for code in range(0x80, sys.maxunicode + 1):
        if 0xD800 <= code <= 0xDFFF:
            continue
        found = word_class(code)
        if found == 0:
            continue
        if runs and runs[-1][1] == code - 1 and runs[-1][2] == found:
            runs[-1][1] = code
        else:
            runs.append([code, code, found])
    flat = []
    for first, last, found in runs:
        flat += [first, last | found << 24]
    lines = [
        "// Written by scripts/generate-word-classes.py; change that instead.",
        "",
        "extension WordClass {",
        f'  static let unicodeVersion = "{unicodedata.unidata_version}"',
        "",
        "  /// Two for each run: the first code point; the last, with the class in the top byte.",
        "  static let ranges: [UInt32] = [",
    ]
    for start in range(0, len(flat), PER_LINE):
        lines.append("    " + ", ".join(f"0x{value:X}" for value in flat[start : start + PER_LINE]) + ",")
    lines += ["  ]", "}", ""]
    OUTPUT.write_text("\n".join(lines))
    print(f"{len(runs)} runs")


if __name__ == "__main__":
    main()
