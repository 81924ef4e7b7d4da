/// The version that the parts of one operation have read.
enum ReadVersion {
  /// No part has read data yet, or all have read what the operation began with.
  case given
  case number(Int64)
  /// The parts have read several versions, or one that has no number yet.
  case none

  /// Notes what a part has read.
  mutating func note(_ part: ReadVersion, isFirst: Bool) {
    if isFirst { return self = part }
    switch (self, part) {
    case (.given, .given): break
    case (.number(let one), .number(let other)) where one == other: break
    default: self = .none
    }
  }

  /// Returns the number; nil where there is none.
  ///
  /// - Parameter given: The number of the data that the operation began with.
  func number(given: Int64?) -> Int64? {
    switch self {
    case .given: given
    case .number(let number): number
    case .none: nil
    }
  }
}
