# title: A SQLite file joined with an export as CSV.
gqlite music.sqlite plays.csv '{Plays{plays track{title}}}'
