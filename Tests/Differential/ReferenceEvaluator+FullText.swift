/// `matches`, for the queries that ``RandomPatterns`` writes.
extension ReferenceEvaluator {
  /// The English stems of ``Model/terms``, by the published algorithm; nil for a stop word.
  private static func term(_ word: String, _ language: String) -> String? {
    let folded = Datum.fold(word)
    guard language == "en" else { return folded }
    switch folded {
    case "the": return nil
    case "cats": return "cat"
    case "dogs": return "dog"
    case "running": return "run"
    default: return folded
    }
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "," }.map(String.init)
  }

  func matches(_ text: String, _ query: String, of node: Node, _ environment: Environment) throws -> Bool {
    let language = try language(of: node, environment)
    let terms = Self.words(text).map { Self.term($0, language) }
    // A word's place counts stop words too, so phrases do not reach over them.
    func isFound(_ part: String) -> Bool? {
      if part.hasSuffix("*") {
        let beginning = Datum.fold(String(part.dropLast()))
        return terms.contains { $0?.hasPrefix(beginning) ?? false }
      }
      let wanted = Self.words(part.replacing("\"", with: "")).map { Self.term($0, language) }
      guard !wanted.contains(where: { $0 == nil }) else { return nil }
      guard terms.count >= wanted.count else { return false }
      return (0...(terms.count - wanted.count)).contains { terms[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
    var anything = false
    var result = false
    for alternative in query.split(separator: " OR ") {
      let parts =
        alternative.contains("\"") ? [String(alternative)] : alternative.split(separator: " ").map(String.init)
      var holds = true
      var counts = false
      for part in parts {
        let isExcluded = part.hasPrefix("-")
        guard let found = isFound(isExcluded ? String(part.dropFirst()) : part) else { continue }
        counts = true
        if found == isExcluded { holds = false }
      }
      anything = anything || counts
      result = result || (counts && holds)
    }
    return anything && result
  }

  /// That of the field's full-text index; English without one.
  private func language(of node: Node, _ environment: Environment) throws -> String {
    guard case .path(let scope, _) = node.form, case .step(let name)? = node.children.last?.form,
      case .entity(let type, _) = try element(scope, environment)
    else { throw ReferenceFailure.malformed }
    return model.shape(type)?.field(name)?.language ?? "en"
  }
}
