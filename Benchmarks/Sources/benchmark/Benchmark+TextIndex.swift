import Foundation
import SocialNetwork

/// Queries over the texts of all messages, with an index on them in a database of its own.
struct TextIndex {
  let schema: String
  let cases: [QueryCase]
  /// The row for loading.
  let loading: String
  let summary: String
  /// Makes SQLite's index.
  let sql: String
  /// The rows whose statements read it.
  let tableServes: [String]
}

extension Benchmark {
  /// SQLite gets its index here, so that the other rows do not pay for it.
  func measure(_ index: TextIndex, _ sqlite: SQLiteDatabase) throws {
    let cases = index.cases.filter { options.includes($0.name) }
    let showsLoading = options.includes(index.loading)
    guard !cases.isEmpty || showsLoading else { return }
    let sources = [(type: "Message", bytes: messageTexts())]
    let clock = ContinuousClock()
    var engine: Engine?
    var engineTime: Double?
    if !options.isSQLiteOnly {
      engineTime = try clock.measure { engine = try Engine(schema: index.schema, sources: sources) }.nanoseconds
    }
    if showsLoading || cases.contains(where: { index.tableServes.contains($0.name) }) {
      let indexing = try clock.measure { try sqlite.execute(index.sql) }.nanoseconds
      if showsLoading {
        report.row(
          ReportRow(
            name: index.loading, summary: index.summary, engine: engineTime, sqlite: indexing,
            bytes: sources[0].bytes.count))
      }
    }
    for query in cases { try measure(query, engine, sqlite) }
  }

  /// The messages' ids and texts as NDJSON.
  func messageTexts() -> [UInt8] {
    let texts = network.messages.text
    var bytes: [UInt8] = []
    bytes.reserveCapacity(texts.bytes.count + texts.count * 32)
    for row in 0..<texts.count {
      bytes += "{\"id\":\(row + 1),\"text\":\"".utf8
      for byte in texts.bytes[texts.range(row)] {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
        default: bytes.append(byte)
        }
      }
      bytes += "\"}\n".utf8
    }
    return bytes
  }
}
