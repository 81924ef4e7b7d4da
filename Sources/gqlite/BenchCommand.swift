import GQLBase
import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `gqlite bench FILE…`
enum BenchCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments)
    let variables = try Variables(&arguments, of: session)
    let operation = try arguments.value("operation")
    var seconds = 1.0
    if let text = try arguments.value("seconds") {
      guard let number = Double(text), number > 0, number <= 3600 else {
        throw UsageError("--seconds is a number up to 3600, not '\(text)'")
      }
      seconds = number
    }
    var sets: [Variables] = [variables]
    if let path = try arguments.value("vars-list") {
      guard case .list(let elements) = try Value(variables: try Variables.read(path, of: session), name: path),
        !elements.isEmpty
      else {
        throw UsageError("\(path) is no JSON list of variable sets", help: nil)
      }
      sets = elements.map { Variables(object: $0) }
    }
    let documents = try session.documents(&arguments, command: "bench")
    try arguments.finish("bench")

    var lines = ""
    var isFirst = true
    let parsed = session.parse(documents, RunOptions())
    try variables.checkNames(in: parsed, operation: operation)
    for document in parsed {
      let document = try document.get()
      let name = document.sourceName
      let database = try session.database(for: document, directory: Session.directory(of: name))
      if isFirst {
        lines += "load_ns\t\(session.loadTime)\npeak_memory_bytes\t\(peakMemory())\n"
        lines += "name\tmedian_ns\tminimum_ns\truns\tbytes\n"
        isFirst = false
      }
      for query in try RunCommand.selected(database.prepareAll(document), operation, document) {
        lines += try measure(query, named: name, sets, seconds: seconds)
      }
      Terminal.standardOutput.write(lines)
      Terminal.standardOutput.flush()
      lines = ""
    }
    return Process.success
  }

  private static func measure(
    _ query: PreparedQuery, named file: String, _ sets: [Variables], seconds: Double
  ) throws(QueryError) -> String {
    var rotation: [[String: Value]] = []
    for set in sets { rotation.append(try set.values(for: query)) }
    var bytes = 0
    for values in rotation { bytes = try query.run(values).utf8.count }
    var times: [UInt64] = []
    let budget = UInt64(seconds * 1e9)
    let start = MonotonicClock.now
    var next = 0
    repeat {
      let before = MonotonicClock.now
      let answer = try query.run(rotation[next])
      times.append(MonotonicClock.now - before)
      bytes = answer.utf8.count
      next = next + 1 == rotation.count ? 0 : next + 1
    } while MonotonicClock.now - start < budget && times.count < 10_000_000
    times.sort()
    let stem = file.split(separator: "/").last.map(String.init) ?? file
    let name = query.name.map { "\(stem):\($0)" } ?? stem
    return "\(name)\t\(times[times.count / 2])\t\(times[0])\t\(times.count)\t\(bytes)\n"
  }

  /// The largest resident size so far, in bytes.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss * 1024
    #endif
  }
}
