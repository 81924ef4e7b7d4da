# title: CSV to JSON.
# duckdb: duckdb -json -c "from 'orders.csv'"
gqlite orders.csv '{Orders{*}}'
