# title: Artists of a SQLite file by their tracks.
gqlite music.sqlite '{Artist(orderBy: -count(albums.tracks)){name n: count(albums.tracks)}}'
