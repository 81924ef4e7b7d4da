// Entities as plain structs: `swift run ModelsExample`.
for line in try chatLines() { print(line) }
