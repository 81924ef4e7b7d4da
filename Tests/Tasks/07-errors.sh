# title: Errors by path in a log.
# duckdb: duckdb -c "select path, count(*) from 'access.ndjson' where status >= 500 group by 1"
gqlite access.ndjson '{Access(where: status >= 500, groupBy: path){path n: count()}}'
