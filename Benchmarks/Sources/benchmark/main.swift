import Foundation

if CommandLine.arguments.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) {
  print(Options.usage)
  exit(0)
}
do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if let child = options.child {
    try Benchmark.runChild(child, data: options.childData)
  } else {
    try Benchmark(options).run()
  }
} catch {
  writeError("benchmark: \(error)")
  exit(1)
}
