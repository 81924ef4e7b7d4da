import GQLite

/// What `--help` says.
enum Help {
  static let main = """
    gqlite \(GQLiteVersion.current) — nested-selection queries over typed, related data

    usage: gqlite [run] DATA… 'QUERY'            ask files of data: gqlite orders.csv '{ Orders { id } }'
           gqlite [run] FILE… | - | -e TEXT      run the operations of a document
           gqlite explain FILE…                  print the plans of a document
           gqlite check FILE…                    report every problem of documents
           gqlite fmt FILE…                      format documents in place
           gqlite schema [DATA…]                 print the schema, given or inferred
           gqlite test PATH…                     run golden files
           gqlite bench FILE…                    time prepared operations
           gqlite generate swift                 write Swift models of a schema
           gqlite init FILE --schema F           make a database, which keeps what is changed
           gqlite import --db FILE PATH…         bring data into a database
           gqlite export FILE DIR                write the data of a database into files
           gqlite --db FILE 'mutation …'         ask or change a database
           gqlite live --db FILE 'QUERY'         print the answer of a query again whenever it changes
           gqlite branch FILE [NAME]             list, make, refresh, merge and drop branches
           gqlite log FILE                       print the last commits of a database
           gqlite diff FILE --from V --to V      print what differs between two versions
           gqlite verify FILE                    check a database
           gqlite backup FILE TO                 copy a database, also while it is written to
           gqlite compact FILE                   make the file of a database small

    'gqlite COMMAND --help' lists the flags of a command.

    exit codes: 0 done · 1 the document, the data or a query failed · 2 wrong usage

    """

  private static let inputs = """
      --schema F        the schema, a file of type definitions; left out, DATA/schema.graphql or one inferred from the data
      --data PATH       data: a .csv, .tsv, .json, .ndjson or SQLite file, also .gz or .zst; a directory; a pattern such
                        as 'logs/*.ndjson'; '-' for standard input. NAME=PATH names its table. May be repeated, and such
                        files need no flag. They are never written to
      --input-format F  csv, tsv, json or ndjson, where neither the ending nor the content says it
      --db FILE         a database: what documents change is kept in it. Such a file needs no flag
      --read-only       with a database: read it as it is now, and never write to it
      --branch NAME     with a database: run in a branch of it, see 'gqlite branch'
      --skip-bad        leave out records that are bad, and count them, instead of failing
      --id TYPE.COLUMN  without a schema: the column that is the id of a type; may be repeated
      --verbose         say on standard error how data is read, which columns are ids, and what was renamed
      --dialect D       'extended' (default), 'graphql', which turns every extension off, or 'graphql-strict'
      --graphql-strict  GraphQL alone, and an Int has its 32 bits: in documents, variables and answers
      --diagnostics D   'text' (default) or 'json', one object a line
    """

  private static let variables = """
      --var n=v         a variable: texts, ids, enum values and cursors as they are, everything else as JSON; may be repeated
      --vars F.json     variables as one JSON object
      --operation NAME  only the operation of this name
    """

  static let commands: [String: String] = [
    "run": """
    usage: gqlite [run] [DATA…] FILE… | 'QUERY' | - | -e TEXT

    Runs every operation of each document in order; each answers with one JSON object on standard output.
    A file of data is data, an argument that begins with '{' or a keyword such as query is a document,
    and so is one beside data that looks like no path.
    '-' reads the document from standard input. A document that starts with '#!/usr/bin/env gqlite' is a program;
    'extend schema @data(from: "people/")' in it names its data.

    \(inputs)
    \(variables)
      --format F        how answers are written:
                          pretty            indented JSON; the default on a terminal
                          json, ndjson      an answer a line; the default elsewhere
                          jsonl             an element of the one root list a line
                          table, box        rows and columns, as wide as the terminal at most
                          csv, tsv          a row a line, separated by commas or tabs
                          markdown          rows as Markdown's tables
                          graphql           {"data": …}, or {"data": null, "errors": […]}
      -o FILE           replace a file by the answers, if all documents are answered; '-' is standard output
      --timeout T       stop loading and running a document after T: 500ms, 5s, 2m; a bare number is seconds
      --data-root DIR   the folder that documents may name data in; under '--limits serve' they need it
      --now TIME        the result of now(): 2024-05-01T12:00:00Z; without it, the time of the clock
      --origin NAME     who makes the changes: the _origin of the versions that they make
      --max-bytes N     refuse answers of more than N bytes
      --max-nodes N     refuse answers of more than N objects
      --max-memory N    refuse runs that need more than N bytes beside the answer
      --limits L        'standard' (default) or 'serve', for untrusted documents
      --limit NAME=N    one limit, times in milliseconds; may be repeated. Names: document-bytes, tokens, nesting, fields,
                        expansion, problems, visited-rows, answer-nodes, answer-bytes, time, memory, recursion-depth,
                        recursion-entities, text-bytes, list-elements, pattern-bytes, pattern-steps,
                        pattern-depth, pattern-memory, live-queries, live-bytes

    exit codes: 0 done · 1 the document, the data or a query failed · 2 wrong usage

    """,
    "live": """
    usage: gqlite live --db FILE DOCUMENT | 'QUERY' | - | -e TEXT

    Follows the only operation of a document, or the one named, and prints a line for each answer that differs from
    the one before: {"version":8,"data":…}, {"version":9,"patch":[…]}, or {"version":10,"errors":[…]}. The database may be
    written to by another process; it is looked at every 10 milliseconds. Ends at a signal, or when its output is closed.

    \(inputs)
    \(variables)
      --branch NAME     follow a branch of the database, until it is dropped
      --mode M          'full': whole answers; 'diff': JSON patches (RFC 6902) after the first answer. Without it the mode
                        of the document, '@live(mode: DIFF)', or 'full'
      --every T         the shortest time between two lines: 500ms, 5s, 2m
      --count N         end after N lines
      --limits L        'standard' (default) or 'serve', for untrusted documents
      --limit NAME=N    one limit, times in milliseconds; may be repeated

    exit codes: 0 done · 1 the document or the database failed · 2 wrong usage

    """,
    "explain": """
    usage: gqlite explain FILE… | - | -e TEXT

    Prints, for each operation, the plan, the estimates and the alternatives that were dropped.

    \(inputs)
    \(variables)
      --analyze         run the operation too, and show what each step read and kept, and the times
      --costs off       leave numbers out: the form that golden files pin
      --format F        'text' (default), 'json', an array a line, or 'bound': sets and fields, before any plan
      --timeout T       with --analyze: stop after T

    """,
    "check": """
    usage: gqlite check FILE… | - | -e TEXT

    Reports every problem of each document: its syntax, and its operations against the schema.

    \(inputs)
      --syntax          the syntax only; no schema is needed

    """,
    "fmt": """
    usage: gqlite fmt FILE… | -

    Formats documents in place; '-' formats standard input to standard output.

      --check           change nothing; name the files that are not formatted, and exit with 1 if there are any
      --dialect D       'extended' (default), 'graphql' or 'graphql-strict'
      --diagnostics D   'text' (default) or 'json', one object a line

    """,
    "schema": """
    usage: gqlite schema [--schema F] [DATA…] [--api | --introspection]
           gqlite schema [--schema F] [--data PATH] --to NEW [--allow-loss]

    Prints the schema in its canonical form: the one given, or the one inferred from the data.

    \(inputs)
      --api             print the whole API for tools of GraphQL: root fields, arguments, input types, mutations
      --introspection   print the same as the answer to the introspection query of GraphQL, in JSON
      --to NEW          print the differences of the schema NEW, and the values that the data would lose; change nothing
      --apply           with --db FILE: change the schema of the database to NEW
      --allow-loss      exit with 0 although values would be lost

    """,
    "test": """
    usage: gqlite test [--update] PATH…

    Runs golden files: each FILE.query beside its expected FILE.json (the answers), FILE.plan ('explain --costs off')
    or FILE.diagnostics (the problems). Directories are searched. Lines '# key: value' at the start of a document name
    its schema, data, vars (a JSON object), operation, dialect, now, and the statistics that a plan is made for, paths
    relative to the document; 'requires: PATH' skips the case where the path is missing.

      --update          write the results as the expectations; refused where the variable CI is set

    exit codes: 0 all passed · 1 some failed · 2 wrong usage, or no test was found

    """,
    "bench": """
    usage: gqlite bench --schema S --data D [--vars-list F.json] [--seconds N] FILE…

    Prepares each document once, runs it for N seconds (default 1), and prints tab-separated values, times in
    nanoseconds: the load time and the peak memory first, then name, median, minimum, runs and bytes of the answer.

    \(inputs)
    \(variables)
      --vars-list F     a JSON list of variable sets to rotate through
      --seconds N       how long each document is run

    """,
    "init": """
    usage: gqlite init FILE --schema F

    Makes an empty database with a schema. 'gqlite --db FILE' and programs keep in it what they change.

      --schema F        a file of type definitions

    """,
    "import": """
    usage: gqlite import --db FILE [--skip-bad] PATH…

    Brings files of data into a database, all of them or, where one record is bad, nothing. A file that is missing is
    made; its schema is the 'schema.graphql' in a folder of the data, or is inferred from the data.

      --db FILE         the database
      --skip-bad        leave out records that are bad, and count them, instead of failing

    """,
    "export": """
    usage: gqlite export FILE DIR [--replace]

    Writes the data of a database into a folder: schema.graphql, and a file of lines of JSON for each type, in the order
    of ids. Equal databases have equal files. 'gqlite import --db NEW DIR' makes a database of them.

      --db FILE         the database, named by a flag
      --replace         replace an earlier export; without it, the folder must be empty or missing

    exit codes: 0 done · 1 the database cannot be read, or the folder not be written · 2 wrong usage

    """,
    "branch": """
    usage: gqlite branch FILE
           gqlite branch FILE NAME [--changes | --refresh | --merge | --drop]

    Without a name: lists the branches of a database, drafts that it keeps, a line of JSON each. With a name: makes the
    branch, if it is not there. 'gqlite --db FILE --branch NAME' runs documents in it.

      --db FILE         the database, named by a flag
      --changes         print what the branch has changed, a line of JSON for each row
      --refresh         bring the branch to the newest data, with its changes
      --merge           merge the branch into the database; it stays, without changes
      --into OTHER      with --merge: merge it into another branch; it keeps its changes
      --origin NAME     with --merge: who makes the change
      --conflicts S     where both have changed the same: 'mine', the branch, or 'theirs' counts
      --drop            remove the branch, with its changes

    exit codes: 0 done · 1 there is no such branch, it is in conflict, or the database failed · 2 wrong usage

    """,
    "log": """
    usage: gqlite log FILE [--since V] [--follow]

    Prints the commits that the log of a database holds, the oldest first, a line of JSON each. What is not in the log
    any more is the error unknown-version, which names the oldest version that is known.

      --since V         only the commits after version V
      --follow          go on with new commits as they come, until the command is ended
      --format json     the only format so far

    exit codes: 0 done · 1 the database cannot be read, or the log begins later · 2 wrong usage

    """,
    "diff": """
    usage: gqlite diff FILE --from V [--to V]

    Prints what differs between two versions of a database, a line of JSON for each row. The log must reach back to both.

      --from V          the version that the differences begin with
      --to V            the version that they lead to; without it, the newest. It may be the earlier one
      --format json     the only format so far

    exit codes: 0 done · 1 the database cannot be read, or the log begins later · 2 wrong usage

    """,
    "verify": """
    usage: gqlite verify FILE

    Checks a database: its checksums, its rows against indexes and relations, and what SQLite checks. Prints what is
    wrong, a line each.

    exit codes: 0 nothing is wrong · 1 something is · 2 wrong usage

    """,
    "backup": """
    usage: gqlite backup FILE TO

    Copies a database as it is now, also while another process writes to it. There must be no file TO. Branches that are
    damaged are left out, and named.

    exit codes: 0 all is in the copy · 1 there is no copy, or a branch is not in it · 2 wrong usage

    """,
    "compact": """
    usage: gqlite compact FILE

    Makes the file of a database as small as it can be: gives the space of what was removed back to the system, and
    forgets the commits that the log still has. Needs as much space again while it works.

    """,
    "generate": """
    usage: gqlite generate swift [--schema F] [--data PATH]

    Prints models for the library GQLiteModels: a struct with @EntityModel for each type of the schema, given or
    inferred, with its relations and indexes, and the enums and structs of its fields. What models cannot express
    stands in comments.

    \(inputs)

    """,
  ]
}
