// Entities as plain structs: `swift run ModelsExample`.
for line in try chatLines() { print(line) }
for line in try await watchLines() { print(line) }
for line in try fileLines() { print(line) }
for line in try objectLines() + observedLines() { print(line) }
