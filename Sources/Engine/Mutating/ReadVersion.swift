/// The version that the parts of one operation have read.
struct ReadVersion {
  /// Indicates whether a part has read what the operation began with.
  private var isGiven: Bool
  private var number: Int64?
  private var isMixed = false

  /// A version that the operation began with.
  static let given = ReadVersion(isGiven: true, number: nil)
  /// Nothing yet.
  static let none = ReadVersion(isGiven: false, number: nil)

  static func number(_ number: Int64) -> ReadVersion { ReadVersion(isGiven: false, number: number) }

  private init(isGiven: Bool, number: Int64?) {
    self.isGiven = isGiven
    self.number = number
  }

  /// Notes what a part has read.
  mutating func note(_ part: ReadVersion) {
    isGiven = isGiven || part.isGiven
    if let number, let other = part.number, number != other { isMixed = true }
    number = number ?? part.number
  }

  /// Returns the number; nil where several versions were read, or one that has no number.
  ///
  /// - Parameter given: The number of the data that the operation began with.
  func number(given: Int64?) -> Int64? {
    if isMixed { return nil }
    guard let number else { return given }
    return isGiven && number != given ? nil : number
  }
}
