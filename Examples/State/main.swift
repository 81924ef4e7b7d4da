// Models of classes, whose properties read and write the database: `swift run StateExample`.
for line in try people() { print(line) }
for line in try tasks() { print(line) }
