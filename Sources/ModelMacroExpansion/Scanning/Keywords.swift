/// The words that tell where a value, a type or a member ends.
enum Keywords {
  /// Words behind which a value or a type must follow.
  private static let beforeOperands: Set<String> = [
    "any", "as", "await", "borrowing", "case", "consume", "consuming", "copy", "each", "else", "if", "in", "inout",
    "is", "let", "repeat", "return", "sending", "some", "switch", "throw", "try", "unsafe", "var", "where",
  ]

  /// Words that carry on what the line before began.
  private static let continuing: Set<String> = [
    "as", "async", "catch", "else", "in", "is", "rethrows", "throws", "where",
  ]

  /// What begins a member that is no property.
  private static let otherIntroducers: Set<String> = [
    "actor", "associatedtype", "case", "class", "deinit", "enum", "extension", "func", "import", "init", "macro",
    "operator", "precedencegroup", "protocol", "struct", "subscript", "typealias",
  ]

  /// What begins a type.
  static let types: Set<String> = ["actor", "class", "enum", "extension", "protocol", "struct"]

  static func expectsOperand(_ word: ArraySlice<UInt8>) -> Bool { beforeOperands.contains(text(word)) }
  static func expectsOperand(_ word: String) -> Bool { beforeOperands.contains(word) }
  static func continues(_ word: String) -> Bool { continuing.contains(word) }
  static func introducesOtherMember(_ word: String) -> Bool { otherIntroducers.contains(word) }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
