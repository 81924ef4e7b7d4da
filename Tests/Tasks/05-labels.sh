# title: How many issues each label has.
# duckdb: duckdb -c "select l.name, count(*) from (select unnest(labels) l from 'issues.json') group by 1"
gqlite issues.json '{Label{name n: count(issues)}}'
