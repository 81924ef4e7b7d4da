import GQLCatalog
import GQLQuery

/// Returns the plan as text: a tree for each root field, with the alternatives that lost below it.
package func explain(_ plan: PhysicalPlan, catalog: Catalog, options: ExplainOptions = .init()) -> String {
  var lines: [String] = []
  for root in planTree(plan, catalog: catalog, options: options) {
    lines.append(root.line)
    root.appendLines(to: &lines, indent: "")
    if root.dropped.isEmpty { continue }
    let shown = root.dropped.map {
      options.costs ? "\($0.description) (cost \(figure($0.cost)))" : $0.description
    }
    lines.append("dropped: \(shown.joined(separator: " · "))")
  }
  return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
}

extension PlanNode {
  /// Appends the lines of what is below.
  fileprivate func appendLines(to lines: inout [String], indent: String) {
    for (position, child) in children.enumerated() {
      let isLast = position == children.count - 1
      lines.append("\(indent)\(isLast ? "└" : "├") \(child.line)")
      child.appendLines(to: &lines, indent: indent + (isLast ? "  " : "│ "))
    }
  }

  fileprivate var line: String {
    var line = label.isEmpty ? text : "\(padded(label)) \(text)"
    if let rows, let cost {
      line += isRoot ? "  ≈\(figure(rows)) rows  cost \(figure(cost))" : "   est \(figure(rows))  cost \(figure(cost))"
    } else if let rows {
      line += "   est \(figure(rows))\(isEach ? " each" : "")"
    }
    if let share { line += "   est \(figure(share))" }
    if let after { line += "   after \(after) rows" }
    if !actuals.isEmpty { line += "   actual " + actuals.map(words).joined(separator: " · ") }
    return line
  }

  private func words(_ actual: Actual) -> String {
    let measured = actual.measured
    if label == "else" { return measured.loops == 0 ? "never" : "\(measured.loops) times" }
    var words: String
    switch actual.use {
    case .rows, .group:
      words = actual.input.map { "\($0) → " } ?? ""
      words += "\(measured.rows) \(actual.use == .group ? "groups" : "rows")"
      if measured.loops > 1, isSet { words += " in \(measured.loops) sets" }
    case .count: words = "counted \(measured.rows) in \(measured.loops) sets"
    case .exists: words = "found in \(measured.rows) of \(measured.loops) sets"
    }
    words += "  \(time(measured.nanoseconds))"
    if measured.bytes >= 1 << 16 { words += "  \(measured.bytes >> 10) KiB" }
    return words
  }
}

private func padded(_ label: String) -> String {
  label.count >= 8 ? label : label + String(repeating: " ", count: 8 - label.count)
}

private func time(_ nanoseconds: UInt64) -> String {
  let value = Double(nanoseconds)
  if value < 1_000 { return "\(nanoseconds) ns" }
  if value < 1_000_000 { return "\(figure(value / 1_000)) µs" }
  return "\(figure(value / 1_000_000)) ms"
}

/// Returns a figure whole from 10 on, with one digit below, two below 1, of which the first is not 0; never through a
/// locale.
package func figure(_ value: Double) -> String {
  guard value.isFinite else { return "∞" }
  if value >= 1e15 { return "\(value)" }
  if value >= 10 { return String(Int64(value.rounded())) }
  var digits: Int64 = 10
  var places = 1
  while places < (value >= 1 ? 1 : 2) || value > 0 && value * Double(digits) < 9.5 && places < 9 {
    digits *= 10
    places += 1
  }
  let scaled = Int64((value * Double(digits)).rounded())
  let fraction = scaled % digits
  if fraction == 0 { return String(scaled / digits) }
  var text = String(fraction)
  text = String(repeating: "0", count: places - text.utf8.count) + text
  while text.hasSuffix("0") { text.removeLast() }
  return "\(scaled / digits).\(text)"
}
