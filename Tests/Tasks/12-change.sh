# title: A change, which files of data do not keep: that is said.
gqlite music.sqlite 'mutation{updateTrack(where: id == 1, set: {title: "Storm"}){title}}'
