import Foundation

/// One line of the result.
struct ReportRow {
  var name: String
  var summary: String
  var engine: Double?
  var engineMinimum: Double?
  var sqlite: Double?
  var sqliteMinimum: Double?
  var bytes: Int
  var goal: Double?
  var finalGoal: Double?
  /// Which way of writing the SQL was the fastest, from 1.
  var variant = 1

  var ratio: Double? {
    guard let engine, let sqlite else { return nil }
    return sqlite / engine
  }

  var isMet: Bool? {
    guard let ratio, let goal else { return nil }
    return ratio >= goal
  }
}

/// Prints rows as they come, as a table or as one JSON object a line.
struct Report {
  let isJSON: Bool

  func header() {
    if isJSON { return }
    print(
      pad("query", 17), pad("gqlite", 11, right: true), pad("SQLite", 11, right: true), pad("ratio", 9, right: true),
      pad("goal", 7, right: true), pad("met", 4), pad("bytes", 10, right: true), " what")
  }

  func row(_ row: ReportRow) {
    // Rows appear as they are measured, in a pipe too.
    defer { fflush(nil) }
    if isJSON {
      var members = ["\"name\":\"\(row.name)\"", "\"bytes\":\(row.bytes)", "\"variant\":\(row.variant)"]
      let numbers: [(String, Double?)] = [
        ("gqlite_ns", row.engine), ("gqlite_min_ns", row.engineMinimum), ("sqlite_ns", row.sqlite),
        ("sqlite_min_ns", row.sqliteMinimum), ("ratio", row.ratio), ("goal", row.goal), ("final_goal", row.finalGoal),
      ]
      for case (let key, let value?) in numbers { members.append("\"\(key)\":\(rounded(value))") }
      if let isMet = row.isMet { members.append("\"met\":\(isMet)") }
      print("{\(members.joined(separator: ","))}")
      return
    }
    print(
      pad(row.name, 17), pad(row.engine.map(duration) ?? "-", 11, right: true),
      pad(row.sqlite.map(duration) ?? "-", 11, right: true),
      pad(row.ratio.map { "\(rounded($0))x" } ?? "-", 9, right: true),
      pad(row.goal.map { "\(rounded($0))x" } ?? "-", 7, right: true),
      pad(row.isMet.map { $0 ? "yes" : "NO" } ?? "-", 4), pad("\(row.bytes)", 10, right: true), " " + row.summary)
  }

  /// A line beside the table, on standard error when the output is JSON.
  func note(_ text: String) {
    if isJSON { writeError(text) } else { print(text) }
  }

  private func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return right ? blanks + text : text + blanks
  }
}

/// Three significant digits with a unit.
func duration(_ nanoseconds: Double) -> String {
  switch nanoseconds {
  case ..<1e3: "\(rounded(nanoseconds)) ns"
  case ..<1e6: "\(rounded(nanoseconds / 1e3)) us"
  case ..<1e9: "\(rounded(nanoseconds / 1e6)) ms"
  default: "\(rounded(nanoseconds / 1e9)) s"
  }
}

/// Three significant digits.
func rounded(_ value: Double) -> String {
  if value.isNaN || value.isInfinite { return "0" }
  var scale = 1.0
  var magnitude = abs(value)
  while magnitude < 100, magnitude > 0, scale < 1e4 {
    magnitude *= 10
    scale *= 10
  }
  let result = (value * scale).rounded() / scale
  return result == result.rounded() ? "\(Int(result))" : "\(result)"
}
