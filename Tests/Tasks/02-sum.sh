# title: A sum by customer.
# duckdb: duckdb -c "select Customer, sum(Amount) from 'orders.csv' group by 1"
gqlite orders.csv '{Orders(groupBy: Customer){Customer total: sum(Amount)}}'
