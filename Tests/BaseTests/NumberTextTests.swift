import GQLBase
import Testing

/// Numbers without a limit: order and canonical form agree with each other and, where there are decimals, with these.
@Suite struct NumberTextTests {
  private func compare(_ left: String, _ right: String) -> Int? {
    Array(left.utf8).withUnsafeBufferPointer { left in
      Array(right.utf8).withUnsafeBufferPointer { right in
        guard let a = NumberText(left), let b = NumberText(right) else { return nil }
        return NumberText.compare(a, b).signum()
      }
    }
  }

  private func canonical(_ text: String) -> [UInt64] {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var words: [UInt64] = []
      NumberText(bytes)?.canonical { words.append($0) }
      return words
    }
  }

  /// Ascending; the numbers of one row are equal.
  static let ascending = [
    ["-1e100000000000000000000", "-0.1e100000000000000000001", "-10e99999999999999999999"],
    ["-1e400", "-10e399", "-0.0001e404"],
    ["-123456789012345678901234567890123456789012345678901"],
    ["-1", "-1.0", "-10e-1"],
    ["-1e-400"],
    ["0", "-0", "0.000", "0e99999999999999999999", "-0.0e-5"],
    ["1e-99999999999999999999", "0.01e-99999999999999999997", "100e-100000000000000000001"],
    ["1e-400", "0.1e-399"],
    ["0.1", "1e-1", "0.10", "00.1e0".replacing("00", with: "0")],
    ["1", "1.0", "1e0", "0.1e1", "1E+0"],
    ["1.00000000000000000000000000000000000000000000001"],
    ["9.99"],
    ["10", "1e1"],
    ["99999999999999999999999999999999999999999999999999"],
    ["1e50", "100000000000000000000000000000000000000000000000000"],
    ["1e999999999999999999"],
    ["1e1000000000000000000", "0.001e1000000000000000003", "1000e999999999999999997"],
    ["1e1000000000000000001", "10e1000000000000000000"],
  ]

  @Test func order() {
    for (row, left) in Self.ascending.enumerated() {
      for (other, right) in Self.ascending.enumerated() {
        for a in left {
          for b in right {
            #expect(compare(a, b) == (row - other).signum(), "\(a) \(b)")
            #expect((canonical(a) == canonical(b)) == (row == other), "\(a) \(b)")
          }
        }
      }
    }
  }

  @Test(arguments: ["", "-", "x", "1.", ".5", "1e", "1e+", "1x", "--1", "+1"]) func noNumber(_ text: String) {
    #expect(compare(text, "1") == nil)
  }

  @Test func agreesWithDecimals() {
    var random = SystemRandomNumberGenerator()
    func number() -> String {
      let digits = String(Int.random(in: -2000...2000, using: &random))
      let zeros = String(repeating: "0", count: Int.random(in: 0...2, using: &random))
      let point = Bool.random(using: &random) ? ".\(zeros)\(Int.random(in: 0...20, using: &random))\(zeros)" : ""
      let exponent = Bool.random(using: &random) ? "e\(Int.random(in: -6...6, using: &random))" : ""
      return digits + point + exponent
    }
    for _ in 0..<5000 {
      let (a, b) = (number(), number())
      guard let first = Decimal(parsing: a), let second = Decimal(parsing: b) else {
        Issue.record("\(a) \(b)")
        continue
      }
      let order = compareExactly(first, second).signum()
      #expect(compare(a, b) == order && (canonical(a) == canonical(b)) == (order == 0), "\(a) \(b)")
    }
  }
}
