# title: The same log from standard input.
# duckdb: duckdb -c "select path, count(*) from read_json('/dev/stdin') where status >= 500 group by 1" < access.ndjson
gqlite - '{Stdin(where: status >= 500, groupBy: path){path n: count()}}' < access.ndjson
