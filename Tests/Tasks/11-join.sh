# title: Two files of CSV joined.
# duckdb: duckdb -c "select name, sum(amount) from 'customers.csv' c left join 'sales.csv' s on s.customer_id = c.id group by 1"
gqlite customers.csv sales.csv '{Customers{name total: sum(sales.amount)}}'
