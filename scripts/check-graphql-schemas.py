#!/usr/bin/env python3
"""Gives what `gqlite schema` prints of many schemas to graphql-core, GraphQL's reference implementation for Python.

usage: scripts/check-graphql-schemas.py [--gqlite FILE] [--jobs N] [PATH…]

For each schema below the paths, else below Examples, Tests and ../shared/data, it tries that
- `parse` reads the schema,
- `build_schema` and `validate_schema` accept the one that `--api` prints,
- `build_client_schema` accepts what `--introspection` prints, and the two are the same.

The exit code is 0 if all that holds, 1 if not, and 2 without graphql-core, which scripts/setup installs.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / ".build" / "python"))

try:
    from graphql import (
        GraphQLError, build_client_schema, build_schema, lexicographic_sort_schema, parse, print_schema, validate_schema)
except ImportError:
    print("check-graphql-schemas: no graphql-core 3.2 is here; scripts/setup installs it", file=sys.stderr)
    sys.exit(2)

# Schemas with errors, which are here to be refused.
REFUSED = {f"Tests/Corpus/data/bad/{name}/schema.graphql" for name in ("root-name", "schema")}


def printed(gqlite, schema, *flags):
    run = subprocess.run(
        [gqlite, "schema", "--schema", schema, *flags], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
        timeout=60)
    if run.returncode != 0:
        raise ValueError(f"exit code {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def canonical(schema):
    return print_schema(lexicographic_sort_schema(schema))


def problems(gqlite, schema, name):
    """Yields what is wrong with the three forms of one schema."""
    if name in REFUSED:
        try:
            printed(gqlite, schema)
            yield "it is not refused any more"
        except ValueError:
            pass
        return
    try:
        parse(printed(gqlite, schema))
        api = build_schema(printed(gqlite, schema, "--api"))
        yield from (error.message for error in validate_schema(api))
        client = build_client_schema(json.loads(printed(gqlite, schema, "--introspection")))
        yield from (error.message for error in validate_schema(client))
        if canonical(api) != canonical(client):
            yield "--api and --introspection are two schemas"
    except (GraphQLError, TypeError, ValueError, subprocess.TimeoutExpired) as error:
        yield f"{type(error).__name__}: {error}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--gqlite", default=ROOT / ".build" / "release" / "gqlite")
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("paths", nargs="*", type=pathlib.Path)
    options = arguments.parse_args()
    paths = options.paths or [ROOT / "Examples", ROOT / "Tests", ROOT.parent / "shared" / "data"]
    schemas = sorted({file.resolve() for path in paths for file in path.rglob("*.graphql")})
    names = [str(file.relative_to(ROOT) if file.is_relative_to(ROOT) else file) for file in schemas]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda file, name: list(problems(options.gqlite, file, name)), schemas, names)
        for name, texts in zip(names, found):
            for text in texts:
                print(f"{name}: {text}")
            failed += bool(texts)
    print(f"{len(schemas)} schemas, {failed} failed")
    # A check of nothing proves nothing.
    return 1 if failed or not schemas else 0


sys.exit(main())
