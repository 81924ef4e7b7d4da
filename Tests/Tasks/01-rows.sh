# title: The rows of a spreadsheet's CSV, which has no id.
# duckdb: duckdb -c "from 'orders.csv'"
gqlite orders.csv '{Orders{*}}' --format box
