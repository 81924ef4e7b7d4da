import GQLModelMacroExpansion
import Testing

/// Whatever a declaration looks like, the macro ends with an answer, and what it says points into the source.
@Suite struct RobustnessTests {
  /// A declaration that uses everything that the scanner knows.
  static let seed = ##"""
    @available(macOS 15, *) @EntityModel /* a /* b */ c */
    public struct `User`<T: P, each U>: Codable, Sendable where T: Q<[Int]> {
      @Index<Self>(\.age, \.name.desc) private var ageIndex // "
      @Unique<Self>(\Pair<A, B>.name, collisions: .custom { $0 }) static var u
      @Relationship(.required, deleteRule: .cascade, inverse: \.users) var chats: Optional<[Chat<T>]>
      @Relationship var me: User? = .relation(User())
      #if DEBUG && !os(Linux)
      let id: String = "a\("b\(1 + (2))") { \"", age: Int
      #elseif os(macOS)
      private(set) lazy var (a, (b, _)): (Int, [String: Int?]) = (1, [:]) { didSet { } }
      #else
      var f: @Sendable (Int) async throws -> Pair<A, B>? = { x in x / 2 }, g = #"\#(x)"#
      #endif
      var r = /[{"]/, s = #/ " /#, t = """
        " \(") {") ""
        """
      var total: Int { get { 1 } set { } }
      static func < (l: Self, r: Self) -> Bool { l.age < r.age }
      enum K { case z }; weak var w: Thing!
    }
    """##

  static let pieces = [
    "var ", "let ", "@", "#if ", "#endif\n", "#else\n", "#", "{", "}", "(", ")", "[", "]", "<", ">", "\"", "\"\"\"",
    "#\"", "\"#", "\\(", "\\", "/", "/*", "*/", "//", "\n", ";", ":", "=", ",", "?", "!", "->", ".", "`", "struct ",
    "class ", "@Relationship", "@Index<Self>", "(inverse: ", "static ", "lazy ", "id", "Int", " ", "é", "\u{0}", "😀",
    "0x",
    "1.5e+", "didSet", "patch", "extension ", "private(", "where ", "any ",
  ]

  @Test func mutatedDeclarations() {
    var random = SplitMix(state: 0x5EED)
    for round in 0..<10_000 {
      var bytes = Array(RobustnessTests.seed.utf8)
      switch round % 5 {
      case 0:
        bytes.removeSubrange(random.below(bytes.count)...)
      case 1:
        bytes.removeSubrange(..<random.below(bytes.count))
      case 2:
        for _ in 0...random.below(8) {
          let start = random.below(bytes.count)
          bytes.removeSubrange(start..<min(bytes.count, start + 1 + random.below(20)))
        }
      case 3:
        for _ in 0...random.below(12) {
          let piece = RobustnessTests.pieces[random.below(RobustnessTests.pieces.count)]
          bytes.insert(contentsOf: piece.utf8, at: random.below(bytes.count))
        }
      default:
        let words = (0..<random.below(120)).map { _ in
          RobustnessTests.pieces[random.below(RobustnessTests.pieces.count)]
        }
        bytes = Array(("@EntityModel struct A {" + words.joined()).utf8)
      }
      check(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Deep or long input takes time in proportion, and none of the thread's stack.
  @Test(arguments: pieces) func repeated(_ piece: String) {
    for body in ["", "var a: ", "var a = ", "@Relationship(inverse: ", "var a: B<", "#if A\nvar a: Int\n"] {
      check("@EntityModel struct A { let id: Int\n" + body + String(repeating: piece, count: 1_000))
    }
  }

  @Test func manyPropertiesAreQuick() {
    let members = (0..<2_000).map { "  var property\($0): Pair<Int, [String: Int?]>? = nil { didSet {} }\n" }.joined()
    let start = ContinuousClock.now
    check("@EntityModel struct A {\n let id: Int\n\(members)}")
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  private func check(_ source: String) {
    let output = EntityModelMacro.expand(
      .init(declaration: source, extendedType: "A", context: [String(source.prefix(40))]))
    let count = source.utf8.count
    for diagnostic in output.diagnostics {
      #expect(diagnostic.range.upperBound <= count)
      for fix in diagnostic.fixes { #expect(fix.range.upperBound <= count) }
    }
  }
}

/// A small generator with a fixed seed: a failure comes again.
struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (z ^ (z >> 31)) >> 1) % max(bound, 1)
  }
}
