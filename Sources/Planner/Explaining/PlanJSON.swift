import GQLBase
import GQLCatalog
import GQLQuery

extension PhysicalPlan {
  /// Appends the plan as one JSON array, an object for each root field.
  package func appendJSON(catalog: Catalog, options: ExplainOptions, to output: inout ByteBuffer) {
    output.append("[")
    for (number, root) in planTree(self, catalog: catalog, options: options).enumerated() {
      if number > 0 { output.append(",") }
      root.appendJSON(to: &output)
    }
    output.append("]")
  }
}

extension PlanNode {
  /// Appends the node, with what is below it, as one JSON object.
  fileprivate func appendJSON(to output: inout ByteBuffer) {
    output.append("{")
    if !label.isEmpty { member("label", label, &output) }
    member("operator", text, &output)
    if let rows { member(isEach ? "rowsEach" : "rows", rows, &output) }
    if let cost { member("cost", cost, &output) }
    if let share { member("share", share, &output) }
    if let after { member("after", Double(after), &output) }
    if !actuals.isEmpty { list("actual", actuals, &output) { append($0, to: &$1) } }
    if !dropped.isEmpty {
      list("dropped", dropped, &output) { alternative, output in
        output.append("{")
        member("operator", alternative.description, &output)
        if cost != nil { member("cost", alternative.cost, &output) }
        output.append("}")
      }
    }
    if !children.isEmpty { list("inputs", children, &output) { $0.appendJSON(to: &$1) } }
    output.append("}")
  }

  private func append(_ actual: Actual, to output: inout ByteBuffer) {
    output.append("{")
    member("use", actual.use.rawValue, &output)
    member("loops", Double(actual.measured.loops), &output)
    if let input = actual.input { member("input", Double(input), &output) }
    member("rows", Double(actual.measured.rows), &output)
    member("nanoseconds", Double(actual.measured.nanoseconds), &output)
    member("bytes", Double(actual.measured.bytes), &output)
    output.append("}")
  }

  private func key(_ name: String, _ output: inout ByteBuffer) {
    if !output.endsWithOpenBrace { output.append(",") }
    output.append(json: name)
    output.append(":")
  }

  private func member(_ name: String, _ value: String, _ output: inout ByteBuffer) {
    key(name, &output)
    output.append(json: value)
  }

  private func member(_ name: String, _ value: Double, _ output: inout ByteBuffer) {
    key(name, &output)
    // No figure is known.
    if value.isFinite { output.append(Array(figure(value).utf8)) } else { output.append("null") }
  }

  private func list<Element>(
    _ name: String, _ elements: [Element], _ output: inout ByteBuffer, _ body: (Element, inout ByteBuffer) -> Void
  ) {
    key(name, &output)
    output.append("[")
    for (number, element) in elements.enumerated() {
      if number > 0 { output.append(",") }
      body(element, &output)
    }
    output.append("]")
  }
}

extension ByteBuffer {
  /// Indicates whether an object has no member yet.
  fileprivate var endsWithOpenBrace: Bool { withUnsafeBytes { $0.last == UInt8(ascii: "{") } }
}
