#!/usr/bin/env python3
"""Writes the expected answers of Tests/Corpus/real/<set>/<question>.query, without the engine.

Each of the sets under ../shared/data has questions.json: a question and its right answer, as a list, rows or one
value. A query answers in its own shape, so a function for each question says how the one becomes the other. Where the
query gives more than the answer does (a mean before rounding, lines before they are merged), the function works out
the rest from the NDJSON and checks that it comes down to the given answer.

With --check nothing is written, and a file that differs is an error. --shared names the folder that holds `data`.
"""

import argparse
import fractions
import json
import pathlib
import sys
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "Tests" / "Corpus" / "real"
SETS = ["chinook", "isocodes", "swapi"]

shapes = {}


def shape(question):
    def register(function):
        shapes[question] = function
        return function

    return register


def objects(values, key):
    """["a", "b"] as [{key: "a"}, {key: "b"}]."""
    return [{key: value} for value in values]


def linked(rows, key, inner="name"):
    """A column that is the name of a linked entity, as that entity with its name; null where there is none."""
    return [{k: (v if k != key or v is None else {inner: v}) for k, v in row.items()} for row in rows]


def expect(condition, question):
    if not condition:
        sys.exit(f"{question}: what was worked out from the data is not the given answer")


# --- Chinook ----------------------------------------------------------------------------------------------------------


@shape("chinook-01")
def _(answer, data):
    return {"artists": [{"albums": objects(answer, "title")}]}


@shape("chinook-02")
def _(answer, data):
    return {"albums": [{"tracks": linked(answer, "genre")}]}


@shape("chinook-03")
def _(answer, data):
    # The question leaves the order open; the query sorts by name.
    return {"customers": sorted(answer, key=lambda row: (row["lastName"], row["firstName"]))}


@shape("chinook-04")
def _(answer, data):
    return {"genres": answer}


@shape("chinook-05")
def _(answer, data):
    # In the canonical order of employees; cents are exact, because the schema has decimals.
    order = [row["lastName"] for row in data("Employee")]
    rows = sorted(answer, key=lambda row: order.index(row["lastName"]))
    return {"employees": [{**row, "total": Decimal(str(row["total"])).quantize(Decimal("0.01"))} for row in rows]}


@shape("chinook-06")
def _(answer, data):
    # From the direct boss to the top, one inside the other; the top one's boss is null, so nobody is missing.
    boss = None
    for name in reversed(answer):
        boss = {"fullName": name, "reportsTo": boss}
    return {"employees": [{"reportsTo": boss}]}


@shape("chinook-07")
def _(answer, data):
    return {"unsold": answer}


@shape("chinook-08")
def _(answer, data):
    return {"artists": objects(answer, "name")}


@shape("chinook-09")
def _(answer, data):
    return {"playlists": answer}


@shape("chinook-10")
def _(answer, data):
    # The query shows the first line of each artist under the invoice that it is on, instead of a list of names.
    track, album = ({row["id"]: row for row in data(name)} for name in ("Track", "Album"))
    artist, genre = ({row["id"]: row["name"] for row in data(name)} for name in ("Artist", "Genre"))
    lines = data("InvoiceLine")
    result, names = [], []
    for customer in data("Customer"):
        if customer["country"] != "USA":
            continue
        invoices = [i for i in data("Invoice") if i["customer"] == customer["id"] and i["invoiceDate"] < "2022"]
        expect(all(i["invoiceDate"] >= "2021" for i in invoices), "chinook-10")
        seen, shown = set(), []
        for invoice in invoices:
            fresh = []
            for line in (line for line in lines if line["invoice"] == invoice["id"]):
                bought = track[line["track"]]
                if genre.get(bought["genre"]) != "Jazz":
                    continue
                name = artist[album[bought["album"]]["artist"]]
                if name not in seen:
                    seen.add(name)
                    fresh.append({"artist": name})
            if fresh:
                shown.append({"lines": fresh})
        if shown:
            result.append({"lastName": customer["lastName"], "invoices": shown})
            names.append({"lastName": customer["lastName"], "artists": sorted(seen)})
    key = lambda row: row["lastName"]
    expect(sorted(names, key=key) == sorted(answer, key=key), "chinook-10")
    return {"customers": result}


# --- ISO codes --------------------------------------------------------------------------------------------------------


@shape("isocodes-01")
def _(answer, data):
    return {"country": answer}


@shape("isocodes-02")
def _(answer, data):
    return {"countries": answer}


@shape("isocodes-03")
def _(answer, data):
    return {"unofficial": answer}


@shape("isocodes-04")
def _(answer, data):
    rows = [{**row, "children": objects(row["children"], "name")} for row in answer]
    return {"country": {"subdivisions": rows}}


@shape("isocodes-05")
def _(answer, data):
    return {"countries": answer}


@shape("isocodes-06")
def _(answer, data):
    return {"countries": objects(answer, "id")}


@shape("isocodes-07")
def _(answer, data):
    return {"currencies": linked(answer, "country")}


@shape("isocodes-08")
def _(answer, data):
    # One number for each value of the enum; a value that the answer does not name has none.
    counts = {row["type"]: row["languages"] for row in answer}
    types = ["LIVING", "EXTINCT", "ANCIENT", "HISTORICAL", "CONSTRUCTED", "SPECIAL"]
    return {type.lower(): counts.get(type, 0) for type in types}


@shape("isocodes-09")
def _(answer, data):
    return {"formerCountries": answer}


@shape("isocodes-10")
def _(answer, data):
    return {"languages": answer}


# --- Star Wars --------------------------------------------------------------------------------------------------------


@shape("swapi-01")
def _(answer, data):
    return {"films": answer}


@shape("swapi-02")
def _(answer, data):
    return {"people": answer}


@shape("swapi-03")
def _(answer, data):
    return {"film": {"characters": objects(answer, "name")}}


@shape("swapi-04")
def _(answer, data):
    rows = [{**row, "people": objects(row["people"], "name")} for row in answer]
    return {"allSpecies": sorted(linked(rows, "homeworld"), key=lambda row: row["name"])}


@shape("swapi-05")
def _(answer, data):
    return {"people": objects(answer, "name")}


@shape("swapi-06")
def _(answer, data):
    return {"people": objects(answer, "name")}


@shape("swapi-07")
def _(answer, data):
    return {"films": answer}


@shape("swapi-08")
def _(answer, data):
    return {"planets": objects(answer, "name")}


@shape("swapi-09")
def _(answer, data):
    # Who was in every film of his was in the first one, where the query starts.
    return {"person": {"films": [{"characters": objects(answer, "name")}]}}


@shape("swapi-10")
def _(answer, data):
    # One pair for each gender that occurs, which the query lists too; the mean is not rounded.
    masses = {}
    for person in data("Person"):
        if person["mass"] is not None:
            masses.setdefault(person["gender"], []).append(fractions.Fraction(str(person["mass"])))
    means = {gender: sum(values) / len(values) for gender, values in masses.items()}
    given = {row["gender"]: (row["people"], row["avgMass"]) for row in answer}
    expect(given == {g: (len(masses[g]), round(float(means[g]), 2)) for g in masses}, "swapi-10")
    number = lambda value: int(value) if value.denominator == 1 else float(value)
    result = {"genders": [{"gender": gender} for gender in sorted(masses, key=lambda g: (g is None, g or ""))]}
    for key, gender in [("female", "female"), ("hermaphrodite", "hermaphrodite"), ("male", "male"), ("none", None)]:
        result[key] = len(masses[gender])
        result[key + "Mass"] = number(means[gender])
    return result


# --- Files ------------------------------------------------------------------------------------------------------------


def text(value):
    """JSON with decimals as they are written."""
    marks = {}

    def mark(node):
        if isinstance(node, Decimal):
            marks[f'"decimal {node}"'] = str(node)
            return f"decimal {node}"
        if isinstance(node, dict):
            return {key: mark(child) for key, child in node.items()}
        return [mark(child) for child in node] if isinstance(node, list) else node

    result = json.dumps(mark(value), ensure_ascii=False, indent=2)
    for old, new in marks.items():
        result = result.replace(old, new)
    return result + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    options = arguments.parse_args()
    data_folder = options.shared / "data"
    if not data_folder.exists():
        sys.exit(f"{data_folder} is not there")
    wrong = []
    for name in SETS:
        tables = {}

        def data(type):
            if type not in tables:
                with open(data_folder / name / f"{type}.ndjson", encoding="utf-8") as file:
                    tables[type] = [json.loads(line) for line in file]
            return tables[type]

        for question in json.loads((data_folder / name / "questions.json").read_text(encoding="utf-8")):
            identifier = question["id"]
            query = CORPUS / name / f"{identifier}.query"
            if identifier not in shapes or not query.exists():
                print(f"{identifier}: no query")
                continue
            expected = text(shapes[identifier](question["answer_json"], data))
            target = query.with_suffix(".json")
            if not options.check:
                target.write_text(expected, encoding="utf-8")
            elif not target.exists() or target.read_text(encoding="utf-8") != expected:
                wrong.append(str(target))
    if wrong:
        sys.exit("not the given answers: " + ", ".join(wrong))


main()
