/// What a written type says about itself: whether it may be nil, whether it is a list, and of what.
struct TypeShape: Equatable {
  var isOptional: Bool
  var isList: Bool
  /// The tokens of the name inside, or nil if it is not a plain name: a tuple, a dictionary, a function, `any P`.
  var name: Range<Int>?

  init(_ range: Range<Int>, in stream: TokenStream) {
    var rest = TypeShape.withoutParentheses(range, in: stream)
    isOptional = false
    isList = false
    if let wrapped = TypeShape.wrapped(rest, in: stream) {
      isOptional = true
      rest = wrapped
    }
    if let element = TypeShape.element(rest, in: stream) {
      isList = true
      rest = element
    }
    name = TypeShape.isNominal(rest, in: stream) ? rest : nil
  }

  private static func withoutParentheses(_ range: Range<Int>, in stream: TokenStream) -> Range<Int> {
    var range = range
    while range.count > 2, stream.at(range.lowerBound, "("), stream.after(range.lowerBound) == range.upperBound {
      let inside = stream.insideGroup(range.lowerBound)
      if positions(of: inside, in: stream).contains(where: { stream.at($0, ",") || stream.at($0, ":") }) { break }
      range = inside
    }
    return range
  }

  /// The tokens of a range that stand in no group.
  private static func positions(of range: Range<Int>, in stream: TokenStream) -> [Int] {
    var positions: [Int] = []
    var index = range.lowerBound
    while index < range.upperBound {
      positions.append(index)
      index = stream.after(index)
    }
    return positions
  }

  /// Without `?`, `!` or `Optional<…>`.
  private static func wrapped(_ range: Range<Int>, in stream: TokenStream) -> Range<Int>? {
    guard let last = range.last else { return nil }
    if stream.at(last, "?") || stream.at(last, "!") {
      let returns = positions(of: range, in: stream).contains { stream.at($0, ">") && stream.at($0 - 1, "-") }
      return returns ? nil : withoutParentheses(range.lowerBound..<last, in: stream)
    }
    return argument(of: "Optional", range, in: stream)
  }

  private static func element(_ range: Range<Int>, in stream: TokenStream) -> Range<Int>? {
    guard !range.isEmpty else { return nil }
    if stream.at(range.lowerBound, "["), stream.after(range.lowerBound) == range.upperBound {
      return withoutParentheses(stream.insideGroup(range.lowerBound), in: stream)
    }
    return argument(of: "Array", range, in: stream)
  }

  /// What stands between the angles of `Name<…>` or `Swift.Name<…>`.
  private static func argument(of name: String, _ range: Range<Int>, in stream: TokenStream) -> Range<Int>? {
    var start = range.lowerBound
    if stream.word(start) == "Swift", stream.at(start + 1, ".") { start += 2 }
    guard stream.word(start) == name, stream.at(start + 1, "<"),
      stream.afterAngles(start + 1, end: range.upperBound) == range.upperBound, start + 2 < range.upperBound
    else { return nil }
    return withoutParentheses(start + 2..<range.upperBound - 1, in: stream)
  }

  /// Collections of the standard library, which are no entities.
  private static let collections = ["Array", "ContiguousArray", "Dictionary", "Optional", "Set"]

  /// `Name`, `Outer.Name`, `Name<Argument>.Inner`.
  private static func isNominal(_ range: Range<Int>, in stream: TokenStream) -> Bool {
    guard !collections.contains(where: { argument(of: $0, range, in: stream) != nil }) else { return false }
    var index = range.lowerBound
    while index < range.upperBound {
      guard stream.isName(index), !Keywords.expectsOperand(stream.word(index)) else { return false }
      index += 1
      if index < range.upperBound, stream.at(index, "<") {
        guard let next = stream.afterAngles(index, end: range.upperBound) else { return false }
        index = next
      }
      if index == range.upperBound { return true }
      guard stream.at(index, ".") else { return false }
      index += 1
    }
    return false
  }
}
