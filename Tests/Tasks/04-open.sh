# title: Open issues with the login of who wrote them.
# duckdb: duckdb -c "select title, user.login from 'issues.json' where state = 'open'"
gqlite issues.json '{Issues(where: state == "open"){title user{login}}}'
