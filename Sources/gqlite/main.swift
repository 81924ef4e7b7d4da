print("gqlite")
