import GQLite

Process.run(Array(CommandLine.arguments.dropFirst()))
