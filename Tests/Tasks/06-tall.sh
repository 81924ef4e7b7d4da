# title: A page of an API: who is taller than 160, where heights are texts.
# duckdb: duckdb -c "select p.name, p.height from (select unnest(results) p from 'people.json') where try_cast(p.height as int) > 160"
gqlite people.json '{People(where: try(int(height)) > 160){name height}}'
