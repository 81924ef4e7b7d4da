import CSQLite
import Foundation
import SocialNetwork

/// The whole run: data, loading, queries, memory.
struct Benchmark {
  let options: Options
  let report: Report
  let network: SocialNetwork

  init(_ options: Options) {
    self.options = options
    report = Report(isJSON: options.isJSON)
    network = SocialNetwork(scale: options.scale, seed: options.seed)
  }

  func run() throws {
    if options.listsOnly {
      for query in QueryCases(network).all + QueryCases(network).fullText + QueryCases(network).trigram {
        print(query.name, query.summary, separator: "\t")
      }
      for change in changes { print(change.name, change.summary, separator: "\t") }
      return
    }
    if let directory = options.writeDirectory { return try write(to: directory) }
    if let directory = options.answersDirectory { return try writeAnswers(to: directory) }
    if options.only == ["state"] {
      try LiveBenchmark(options.scale, report).run()
      try ObjectBenchmark(report).run()
      try measurePast()
      return try measureHistory()
    }
    if !options.isJSON {
      print("scale \(options.scale), seed \(options.seed), SQLite \(String(cString: sqlite3_libversion()))")
    }
    report.header()
    let (engine, sqlite) = try load()
    try sqlite.execute(SQLiteLoading.extraIndexes)
    try sqlite.addRegex()
    for query in QueryCases(network).all where options.includes(query.name) {
      try measure(query, engine, sqlite)
    }
    for name in ["pk", "nest4"] {
      if let query = QueryCases(network).all.first(where: { $0.name == name }) {
        try measurePreparing(query, engine, sqlite)
      }
    }
    try measureFullText(sqlite)
    try measureTrigrams(sqlite)
    try measureChanges(engine, sqlite)
    if options.measuresMemory, options.includes("memory") { try reportMemory() }
    if let command = options.command, options.includes("start") { try reportStart(of: command) }
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

  func measure(_ query: QueryCase, _ engine: Engine?, _ sqlite: SQLiteDatabase) throws {
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
      contestant = Contestant(sets: query.sets.count) { set in
        try prepared.answer(variables[set]) { $0.last == UInt8(ascii: "}") ? $0.count : 0 }
      }
    }
    try alternate(&contestant, &yardstick)
    report.row(
      ReportRow(
        name: query.name, summary: query.summary, engine: contestant?.measurement.median,
        engineMinimum: contestant?.measurement.minimum, sqlite: yardstick.measurement.median,
        sqliteMinimum: yardstick.measurement.minimum, bytes: yardstick.bytes, goal: query.goal,
        finalGoal: query.finalGoal, variant: variant + 1))
  }

  /// What is new in a text that is prepared and run.
  private enum Novelty: String, CaseIterable {
    /// The name of the operation: no text of its shape was seen before.
    case shape = "prepare_"
    /// A comment, and the values of variables, which are written as literals.
    case literals = "literals_"
    /// Nothing.
    case nothing = "again_"

    var summary: String {
      switch self {
      case .shape: "a new text to its answer"
      case .literals: "a text with other literals to its answer"
      case .nothing: "the same text to its answer"
      }
    }
  }

  /// From a text to its answer: what a query costs that was not prepared.
  ///
  /// Both engines run what they have prepared once, because gqlite plans at the first run.
  private func measurePreparing(_ query: QueryCase, _ engine: Engine?, _ sqlite: SQLiteDatabase) throws {
    for novelty in Novelty.allCases {
      let name = novelty.rawValue + query.name
      guard options.includes(name) else { continue }
      let number = Counter()
      let written = novelty == .literals ? query.sets.indices.map { query.written($0) } : []
      func texts(_ set: Int) -> (document: String, sql: String) {
        switch novelty {
        case .nothing: return (query.document, query.sql[0])
        case .shape:
          let count = number.next()
          return ("query Q\(count)" + query.document.dropFirst("query".count), query.sql[0] + "\n-- \(count)")
        case .literals:
          let count = number.next()
          return (written[set].document + "\n# \(count)", written[set].sql + "\n-- \(count)")
        }
      }
      var yardstick = Contestant(sets: query.sets.count) { set in
        try sqlite.prepare(texts(set).sql).answer(novelty == .literals ? [] : query.sets[set]) { $0.count }
      }
      var contestant = try engine.map { engine in
        let prepared = try engine.prepare(query.document)
        let variables = query.sets.map { prepared.variables(Array(zip(query.parameters, $0)).map { ($0, $1) }) }
        let none = prepared.variables([])
        return Contestant(sets: query.sets.count) { set in
          try engine.prepare(texts(set).document).answer(novelty == .literals ? none : variables[set]) { $0.count }
        }
      }
      if novelty == .literals, let engine {
        let none = try engine.prepare(query.document).variables([])
        for set in 0..<min(3, query.sets.count) {
          let (document, sql) = texts(set)
          var answer: [UInt8] = []
          _ = try engine.prepare(document).answer(none) { bytes in
            answer = Array(bytes)
            return bytes.count
          }
          let other = try sqlite.prepare(sql).answer([]) { Array($0) }
          if let difference = JSONComparison.difference(other, answer) { throw Failure("\(name): \(difference)") }
        }
      }
      try alternate(&contestant, &yardstick)
      report.row(
        ReportRow(
          name: name, summary: novelty.summary, engine: contestant?.measurement.median,
          engineMinimum: contestant?.measurement.minimum, sqlite: yardstick.measurement.median,
          sqliteMinimum: yardstick.measurement.minimum, bytes: yardstick.bytes))
    }
  }

  /// Rounds in alternation, so that whatever slows the machine down slows both.
  private func alternate(_ contestant: inout Contestant?, _ yardstick: inout Contestant) throws {
    try yardstick.calibrate()
    try contestant?.calibrate()
    var spent = 0.0
    let budget = options.seconds * (contestant == nil ? 1 : 2)
    while spent < budget || yardstick.measurement.rounds.count < 3 {
      spent += try contestant?.round() ?? 0
      spent += try yardstick.round()
    }
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
      if query.isRanked {
        if let difference = RankedComparison.difference(answer, expected) {
          throw Failure("\(query.name): the answers differ for variable set \(set)\n\(difference)")
        }
        continue
      }
      if let difference = JSONComparison.difference(answer, expected) {
        throw Failure("\(query.name): the answers differ for variable set \(set)\n\(difference)")
      }
    }
  }
}

/// Numbers that a closure counts.
private final class Counter {
  private var last = 0

  func next() -> Int {
    last += 1
    return last
  }
}

func writeError(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}
