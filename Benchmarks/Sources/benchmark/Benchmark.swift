import CSQLite
import Foundation
import SocialNetwork

/// The whole run: data, loading, queries, memory.
struct Benchmark {
  let options: Options
  let report: Report
  private let network: SocialNetwork

  init(_ options: Options) {
    self.options = options
    report = Report(isJSON: options.isJSON)
    network = SocialNetwork(scale: options.scale, seed: options.seed)
  }

  func run() throws {
    if options.listsOnly {
      for query in QueryCases(network).all { print(query.name, query.summary, separator: "\t") }
      return
    }
    if let directory = options.writeDirectory { return try write(to: directory) }
    if !options.isJSON {
      print("scale \(options.scale), seed \(options.seed), SQLite \(String(cString: sqlite3_libversion()))")
    }
    report.header()
    let (engine, sqlite) = try load()
    try sqlite.execute(SQLiteLoading.extraIndexes)
    for query in QueryCases(network).all where options.includes(query.name) {
      try measure(query, engine, sqlite)
    }
    if options.measuresMemory, options.includes("memory") { try reportMemory() }
  }

  /// Writes the data for other programs.
  private func write(to directory: String) throws {
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (type, bytes) in network.ndjson() { try Data(bytes).write(to: folder.appending(path: "\(type).ndjson")) }
    try Data(SocialNetwork.schema.utf8).write(to: folder.appending(path: "schema.graphql"))
  }

  // MARK: Loading

  /// Loads both engines; the load itself is the first row of the table.
  ///
  /// SQLite is measured twice: `load` parses the NDJSON as gqlite does, `load_values` is given the parsed values and so
  /// has less to do than gqlite.
  private func load() throws -> (Engine?, SQLiteDatabase) {
    let clock = ContinuousClock()
    let sources = network.ndjson()
    let size = sources.reduce(0) { $0 + $1.bytes.count }
    var engine: Engine?
    var engineTime: Double?
    if !options.isSQLiteOnly {
      engineTime = try clock.measure { engine = try Engine(schema: SocialNetwork.schema, sources: sources) }.nanoseconds
    }
    let isMeasured = options.includes("load")
    if isMeasured {
      let parsing = try clock.measure { try SQLiteLoading.load(SQLiteDatabase(), ndjson: sources) }.nanoseconds
      report.row(
        ReportRow(
          name: "load", summary: "loading NDJSON into indexed entities", engine: engineTime, sqlite: parsing,
          bytes: size,
          goal: 2, finalGoal: 3.2))
    }
    let sqlite = try SQLiteDatabase()
    let values = try clock.measure { try SQLiteLoading.load(sqlite, network: network) }.nanoseconds
    if isMeasured {
      report.row(
        ReportRow(
          name: "load_values", summary: "the same, SQLite without parsing", engine: engineTime, sqlite: values,
          bytes: size))
    }
    return (engine, sqlite)
  }

  // MARK: Queries

  private func measure(_ query: QueryCase, _ engine: Engine?, _ sqlite: SQLiteDatabase) throws {
    let (variant, statement) = try fastest(query, sqlite)
    var yardstick = Contestant(sets: query.sets.count) { set in
      // The answer's last byte is looked at, so that nothing is left undone.
      try statement.answer(query.sets[set]) { $0.last == UInt8(ascii: "}") ? $0.count : 0 }
    }
    var contestant: Contestant?
    if let engine {
      let prepared = try engine.prepare(query.document)
      let variables = query.sets.map { prepared.variables(Array(zip(query.parameters, $0)).map { ($0, $1) }) }
      try compare(query, prepared, variables, statement)
      let buffer = AnswerBuffer()
      contestant = Contestant(sets: query.sets.count) { set in
        try prepared.run(variables[set], into: &buffer.bytes)
        return buffer.bytes.last == UInt8(ascii: "}") ? buffer.bytes.count : 0
      }
    }
    try yardstick.calibrate()
    try contestant?.calibrate()
    // In alternation, so that whatever slows the machine down slows both.
    var spent = 0.0
    let budget = options.seconds * (contestant == nil ? 1 : 2)
    while spent < budget || yardstick.measurement.rounds.count < 3 {
      spent += try contestant?.round() ?? 0
      spent += try yardstick.round()
    }
    report.row(
      ReportRow(
        name: query.name, summary: query.summary, engine: contestant?.measurement.median,
        engineMinimum: contestant?.measurement.minimum, sqlite: yardstick.measurement.median,
        sqliteMinimum: yardstick.measurement.minimum, bytes: yardstick.bytes, goal: query.goal,
        finalGoal: query.finalGoal, variant: variant + 1))
  }

  /// The fastest way to write the query in SQL, after all ways have given the same answer.
  private func fastest(_ query: QueryCase, _ sqlite: SQLiteDatabase) throws -> (Int, SQLiteStatement) {
    var best: (variant: Int, statement: SQLiteStatement, time: Double)?
    var answer: [UInt8] = []
    for (variant, sql) in query.sql.enumerated() {
      let statement = try sqlite.prepare(sql)
      if options.showsPlans {
        writeError("\(query.name) #\(variant + 1)")
        for line in try sqlite.plan(sql) { writeError("  " + line) }
      }
      let other = try statement.answer(query.sets[0]) { Array($0) }
      if variant == 0 { answer = other }
      if let difference = JSONComparison.difference(answer, other) {
        throw Failure("\(query.name): SQL 1 and SQL \(variant + 1) differ\n\(difference)")
      }
      if query.sql.count == 1 { return (0, statement) }
      var time = Double.infinity
      for round in 0..<5 {
        let elapsed = try ContinuousClock().measure {
          for set in 0..<min(query.sets.count, 10) { _ = try statement.answer(query.sets[set]) { $0.count } }
        }
        time = min(time, elapsed.nanoseconds)
        if round > 0, elapsed > .seconds(1) { break }
      }
      if best.map({ time < $0.time }) ?? true { best = (variant, statement, time) }
    }
    guard let best else { throw Failure("\(query.name) has no SQL") }
    return (best.variant, best.statement)
  }

  private func compare(
    _ query: QueryCase, _ prepared: EngineQuery, _ variables: [EngineVariables], _ statement: SQLiteStatement
  ) throws {
    var answer: [UInt8] = []
    for set in 0..<min(10, query.sets.count) {
      try prepared.run(variables[set], into: &answer)
      let expected = try statement.answer(query.sets[set]) { Array($0) }
      if let difference = JSONComparison.difference(answer, expected) {
        throw Failure("\(query.name): the answers differ for variable set \(set)\n\(difference)")
      }
    }
  }

  // MARK: Memory

  /// Loads each engine in a process of its own, from files, and compares what stays resident.
  private func reportMemory() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "gqlite-benchmark-\(getpid())").path
    try write(to: directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var resident: [String: Int] = [:]
    for name in options.isSQLiteOnly ? ["sqlite"] : ["gqlite", "sqlite"] {
      let child = Process()
      let pipe = Pipe()
      child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["--child", name, "--data", directory]
      child.standardOutput = pipe
      try child.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      child.waitUntilExit()
      let fields = String(decoding: output, as: UTF8.self).split(separator: "\t").compactMap {
        Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
      }
      guard child.terminationStatus == 0, fields.count == 2 else { throw Failure("the \(name) child failed") }
      resident[name] = fields[0]
      if options.isJSON {
        print("{\"name\":\"memory_\(name)\",\"resident\":\(fields[0]),\"peak\":\(fields[1])}")
      } else {
        print("memory \(name): \(fields[0] >> 20) MiB resident after load, \(fields[1] >> 20) MiB peak while loading")
      }
    }
    if let engine = resident["gqlite"], let sqlite = resident["sqlite"] {
      let share = Double(engine) / Double(sqlite)
      report.note("memory: \(rounded(share)) of SQLite's, goal at most 1.5: \(share <= 1.5 ? "met" : "NOT MET")")
    }
  }

  /// The child's part of `reportMemory`: resident and peak bytes, with a tab between.
  static func runChild(_ name: String, data directory: String) throws {
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    func read(_ type: String) throws -> (type: String, bytes: [UInt8]) {
      (type, [UInt8](try Data(contentsOf: folder.appending(path: "\(type).ndjson"), options: .alwaysMapped)))
    }
    var kept: [Any] = []
    if name == "gqlite" {
      kept.append(try Engine(schema: SocialNetwork.schema, sources: ["User", "Chat", "Message"].map(read)))
    } else {
      let database = try SQLiteDatabase()
      try SQLiteLoading.load(database, ndjson: ["User", "Chat", "Message"].map(read))
      kept.append(database)
    }
    releaseFreeMemory()
    print(ProcessMemory.resident, ProcessMemory.peak, separator: "\t")
    withExtendedLifetime(kept) {}
  }
}

/// A reused buffer that a closure can write to.
private final class AnswerBuffer {
  var bytes: [UInt8] = []
}

/// Gives memory that was freed back to the system, where that can be asked for.
private func releaseFreeMemory() {
  #if os(Linux) && canImport(Glibc)
    malloc_trim(0)
  #endif
}

func writeError(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
