import GQLModelMacroExpansion
import Testing

/// What each kind of member becomes: the names of the columns, relations and indexes, what is read, what is patched.
@Suite struct MemberTests {
  /// A body beside `id`, and what it adds: `a` a column that is read, `a=` one that is not, `a?` one that is patched.
  struct Case: Sendable, CustomTestStringConvertible {
    let body: String
    let columns: String
    var testDescription: String { body }

    init(_ body: String, _ columns: String) {
      self.body = body
      self.columns = columns
    }
  }

  static let cases = [
    Case("", ""),
    Case("var a: Int", "a"),
    Case("let a: Int", "a"),
    Case("let a: Int?", "a"),
    Case("let a: Int = 1", "a="),
    Case("let a = 1", "a="),
    Case("var a = 1", "a"),
    Case("var a: Int?", "a?"),
    Case("var a: Int? = nil", "a?"),
    Case("var a: Int!", "a?"),
    Case("var a: Optional<Int>", "a?"),
    Case("var a: Swift.Optional<[Int]> = nil", "a?"),
    Case("var a: (Int)?", "a?"),
    Case("var a: [Int?]", "a"),
    Case("var a: [String: Int?] = [:]", "a"),
    Case("var a: [Int]?", "a?"),
    Case("var a: () -> Int?", "a"),
    Case("var a: (() -> Int)?", "a?"),
    Case("var a: @Sendable (Int, Int) async throws -> Void", "a"),
    Case("var a: any Equatable & Sendable", "a"),
    Case("var a: (any Equatable)?", "a?"),
    Case("var a: Pair<Int, [String]>, b: Pair<A, B<C>>?", "a b?"),
    Case("var a: Pair<(Int) -> Int, Int>", "a"),
    Case("var a, b: Int", "a b"),
    Case("var a, b: Int?", "a? b?"),
    Case("var a = 1, b, c: Int?, d = 2", "a b? c? d"),
    Case("let a = 1, b: Int", "a= b"),
    Case("var (a, b): (Int, Int?)", "a b"),
    Case("let (a, b) = (1, 2)", "a= b="),
    Case("var (a, (b, _)) = (1, (2, 3))", "a b"),
    Case("let (x: a, y: b) = (x: 1, y: 2)", "a= b="),
    Case("var _ = 1", ""),
    Case("var a: Int;var b: Int", "a b"),
    Case("var\n  a\n  :\n  Int\n  =\n  1", "a"),
    Case("var a: Int // a comment { with\n/* var z: Int\n /* nested */ } */ var b: Int", "a b"),
    Case("/// A doc comment: var z: Int\nvar a: Int", "a"),
    Case("private(set) var a: Int?", "a?"),
    Case("public internal(set) var a: Int", "a"),
    Case("private var a = 1", "a"),
    Case("nonisolated(unsafe) var a: Int", "a"),
    Case("@MainActor var a: Int?", "a?"),
    Case("@Clamped(0...1) var a: Double?", "a"),
    Case("@Clamped<Int, Int>(0, [1, 2]) @available(*, unavailable) private(set) var a: Double", "a"),
    Case("weak var a: Thing?", "a?"),
    Case("unowned(safe) var a: Thing", "a"),
    Case("static var a = 1", ""),
    Case("static let a: Int? = 1", ""),
    Case("private static let a = 1\nvar b: Int", "b"),
    Case("var a: Int { 1 }", ""),
    Case("var a: Int\n{\n  1\n}", ""),
    Case("var a: Int { get { 1 } set {} }", ""),
    Case("var a: Int { get async throws { 1 } }", ""),
    Case("var a: Int { @inlinable get { 1 } }", ""),
    Case("var a: Int { _read { yield b } }\nvar b: Int", "b"),
    Case("var a: Int { didSet { print(oldValue) } }", "a"),
    Case("var a: Int? = 1 { willSet(new) {} didSet {} }", "a?"),
    Case("var a = 1 { didSet {} }, b = 2 { willSet {} }", "a b"),
    Case("var a = { 1 }()", "a"),
    Case("var a = [1, 2].map { $0 * 2 }.filter { $0 > 1 }", "a"),
    Case("var a: () -> Int = { 1 }\nvar b = 1", "a b"),
    Case("var a = if flag { 1 } else { 2 }\nvar b = 1", "a b"),
    Case("var a = switch flag {\n case true: 1\n case false: 2\n}\nvar b = 1", "a b"),
    Case("var a = 1 +\n  2\nvar b = 3", "a b"),
    Case("var a = 1\n  + 2\n  - 3\nvar b = 3", "a b"),
    Case("var a = values\n  .first ??\n  1\nvar b = 3", "a b"),
    Case("var a = values\n  as Any\n  as! Int\nlet b = 3", "a b="),
    Case("var a = flag ? 1\n  : 2\nvar b = 3", "a b"),
    Case("var a = 0...\nvar b = 3", "a b"),
    Case("var a = Pair<Int, Int>(1, 2), b = 3", "a b"),
    Case("var a = x < y, b = 3", "a b"),
    Case("var a: Bool = x > 1\nvar b = 3", "a b"),
    Case("var a = text()\n#if DEBUG\n.bold()\n#endif\nvar b = 3", "a b"),
    Case("var a = #selector(x)\nvar b = #file", "a b"),
    Case("#warning(\"var z: Int\")\nvar a = 1", "a"),
    Case("var a = \"var z: Int { \\(\"}\" + \")\\(1)\")\" // \"", "a"),
    Case("var a = \"\"\"\n  { \" \"\" \\\"\"\" \\(x(\"}\"))\n  \"\"\"\nvar b = 1", "a b"),
    Case("var a = #\"{ \" \\(x) \\#(\"}\")\"#, b = 1", "a b"),
    Case("var a = #\"\"\"#\nvar b = #\"\"\"\n  \"# {\n\"\"\"#", "a b"),
    Case("var a = /[{\"]\\//\nvar b = #/ / \" { /#", "a b"),
    Case("var a = 6 / 2, b = 8 / 2", "a b"),
    Case("var `class`: Int?", "`class`?"),
    Case("var a: `Type`<`in`>", "a"),
    Case("func f(id: Int = 1) -> Int where T: P { var z = 1; return z }\nvar a: Int", "a"),
    Case("init() { let z: Int = 1 }\ninit?(x: Int) {}\nvar a: Int", "a"),
    Case("subscript(i: Int) -> Int { get { var z = 1; return z } }\nvar a: Int", "a"),
    Case("enum Keys: String { case z; var y: Int { 1 } }\nvar a: Int", "a"),
    Case("struct Inner { var z: Int }\nclass Other { var y = 1 }\nvar a: Int", "a"),
    Case("typealias T = Array<Int>\nvar a: T", "a"),
    Case("static func < (l: Self, r: Self) -> Bool { l.a / 2 < r.a / 2 }\nvar a: Int", "a"),
    Case("@discardableResult mutating func f() -> Int { 1 }\nvar a: Int", "a"),
    Case("#if A\n@MainActor\n#endif\nvar a: Int", "a"),
    Case("var a: [3 of Int]\nvar b: InlineArray<3, Int>", "a b"),
    Case("var a: Int { borrowing get { 1 } }", ""),
    Case("var a: Int { @storageRestrictions(initializes: b) init { b = newValue } get { b } }\nvar b: Int", "b"),
  ]

  @Test(arguments: cases) func columns(_ test: Case) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: "@EntityModel struct A {\n  let id: Int\n\(test.body)\n}", extendedType: "A"))
    #expect(output.diagnostics.isEmpty)
    let expansion = try #require(output.expansion)
    let lines = expansion.split(separator: "\n").map { $0.drop { $0 == " " } }
    let described = lines.filter { $0.hasPrefix("model.") && $0 != "model.readsAsDescribed()" }
    let written = try lines.filter { $0.hasPrefix("try row.write(self.") }.map { line -> Substring in
      let name = try #require(line.firstRange(of: ", as: \"").map { line[..<$0.lowerBound].dropFirst(19) })
      #expect(line.hasSuffix(", as: \"\(name.filter { $0 != "`" })\")"))
      return name
    }
    let read = lines.compactMap { line -> Substring? in
      if line.hasPrefix("row._skip()") { return "" }
      guard let name = line.firstRange(of: " = try row.read(").map({ line[..<$0.lowerBound].dropFirst(5) }) else {
        return nil
      }
      return line.hasSuffix("(\"\(name.filter { $0 != "`" })\")") ? name : nil
    }
    #expect(written.count == read.count && described.count == written.count)
    let shown = zip(written, read).map { name, read in
      if read.isEmpty { return name + "=" }
      #expect(read == name)
      return expansion.contains(".patch(\\.\(name))") ? name + "?" : name
    }
    for (line, name) in zip(described, written) {
      let plain = name.filter { $0 != "`" }
      #expect(line == "model.property(\"\(plain)\", \\.\(name))")
    }
    #expect(shown.joined(separator: " ") == (test.columns.isEmpty ? "id" : "id " + test.columns))
  }

  @Test(arguments: [
    (#"@Relationship var a: B? = nil"#, #""a", \.a, \.$a, deleteRule: .nullify"#),
    (#"@Relationship() var a: B?"#, #""a", \.a, \.$a, deleteRule: .nullify"#),
    (#"@GQLiteModels.Relationship(deleteRule: .cascade) var a: [B]?"#, #""a", \.a, \.$a, deleteRule: .cascade"#),
    (#"@Relationship(deleteRule: rule(1, 2),) var a: Array<B>?"#, #""a", \.a, \.$a, deleteRule: rule(1, 2)"#),
    (
      #"@Relationship(.required, inverse: \.b) var a: B?"#,
      #""a", \.a, \.$a, inverse: \.$b, "b", deleteRule: .nullify"#
    ),
    (
      "@Relationship( // why\n  deleteRule: .cascade,\n  inverse: \\B.b // last\n)\n/* so */ private(set) var a: [B]?",
      #""a", \.a, \.$a, inverse: \B.$b, "b", deleteRule: .cascade"#
    ),
    (
      #"@Relationship(inverse: \Outer.B<C, D>.b) var a: Optional<[Outer.B<C, D>]>"#,
      #""a", \.a, \.$a, inverse: \Outer.B<C, D>.$b, "b", deleteRule: .nullify"#
    ),
    (#"@Relationship(inverse: \.`in`) var `a`: B?"#, #""a", \.`a`, \.$a, inverse: \.$in, "in", deleteRule: .nullify"#),
    (#"@Relationship(inverse: \.$b) var a: B?"#, #""a", \.a, \.$a, inverse: \.$b, "b", deleteRule: .nullify"#),
    (#"@Relationship(inverse: \.a) var a: [A]?"#, #""a", \.a, \.$a, inverse: \.$a, "a", deleteRule: .nullify"#),
    (
      #"@MainActor @Relationship @available(*, deprecated) var a: (B)? = nil"#, #""a", \.a, \.$a, deleteRule: .nullify"#
    ),
    (#"@Relationship var a: Outer.Deleted<B>? = .none"#, #""a", \.a, \.$a, deleteRule: .nullify"#),
  ])
  func relations(_ declaration: String, _ arguments: String) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: "@EntityModel struct A { let id: Int\n\(declaration)\n}", extendedType: "A"))
    #expect(output.diagnostics.isEmpty)
    #expect(try #require(output.expansion).contains("model.relation(\(arguments))\n"))
    #expect(output.expansion?.contains(".none") == false)
  }

  @Test(arguments: [
    (#"@Field(42) var a: Int?"#, #"model.field("a", number: 42)"#),
    (#"@Field(was: "b") var a: Int?"#, #"model.field("a", was: "b")"#),
    (
      #"@GQLiteModels.Field(1, was: "b", "c") @MainActor var `a`: Int?"#, #"model.field("a", number: 1, was: "b", "c")"#
    ),
    (#"@Field(7) @Relationship(inverse: \.b) var a: B?"#, #"model.field("a", number: 7)"#),
    (#"@Relationship @Field(was: "b") var a: B? = nil"#, #"model.field("a", was: "b")"#),
  ])
  func fields(_ declaration: String, _ call: String) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: "@EntityModel struct A { let id: Int\n\(declaration)\n}", extendedType: "A"))
    #expect(output.diagnostics.isEmpty)
    let expansion = try #require(output.expansion)
    #expect(expansion.contains("    \(call)\n    model.readsAsDescribed()"))
    // It is a property like others.
    #expect(expansion.contains("model.relation(") || expansion.contains(".patch("))
  }

  @Test(arguments: [
    (#"@EntityModel(number: 7)"#, #"number: 7"#), (#"@EntityModel(was: "B", "C")"#, #"was: "B", "C""#),
    (#"@GQLiteModels.EntityModel(number: 7, was: "B")"#, #"number: 7, was: "B""#), ("@EntityModel", nil),
    ("@EntityModel()", nil),
  ])
  func types(_ attribute: String, _ arguments: String?) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: "\(attribute) struct A { let id: Int }", extendedType: "A"))
    #expect(output.diagnostics.isEmpty)
    let line = arguments.map { "    model.type(\($0))\n" } ?? ""
    #expect(
      try #require(output.expansion).contains(
        "GQLiteModels.EntityDescription<Self>) {\n\(line)    model.property(\"id\", \\.id)\n"))
  }

  @Test func aRelationWithAValueIsReadWithout() throws {
    let source = "@EntityModel struct S { let id: Int; @Relationship var v: V? = .relation(V()); var n: Int }"
    let output = EntityModelMacro.expand(.init(declaration: source, extendedType: "S"))
    #expect(
      try #require(output.expansion).contains(
        "self.id = try row.read(\"id\")\n    self.n = try row.read(\"n\")\n    self.$v = .none\n  }"))
  }

  @Test(arguments: [
    (#"@Index<Self>(\.a) var i"#, #"index("i", \.a)"#),
    (
      #"@Index<Self>(\.a.desc, \.b.count, \.c?.d, \Self.e) private var i"#,
      #"index("i", \.a.desc, \.b.count, \.c?.d, \Self.e)"#
    ),
    ("@Index<A>(\n  \\.a, // first\n  \\.b, // second\n)\nprivate var i", #"index("i", \.a, \.b)"#),
    (#"@Index(\A.a) private var i"#, #"index("i", \A.a)"#),
    (#"@Index<Outer<B>.A<C>>(\.a) private var i"#, #"index("i", \.a)"#),
    (#"@Index<`A`>(\.relations, \Other.r) private var i"#, #"index("i", \.relations, \Other.r)"#),
    (#"@GQLiteModels.HashIndex<Self>(\.a) private var i"#, #"hashIndex("i", \.a)"#),
    (
      #"@Unique<Self>(\.a, \.b, collisions: .custom { $0 }) private var i"#,
      #"unique("i", \.a, \.b, collisions: .custom { $0 })"#
    ),
    (#"@FullTextIndex<Self>(\.a, \.b, \.c, \.d, \.e) private var i"#, #"fullTextIndex("i", \.a, \.b, \.c, \.d, \.e)"#),
    (
      #"@available(*, deprecated) @Index<Self>(\Pair<A, B>.a, \.b) @MainActor private var `i`"#,
      #"index("i", \Pair<A, B>.a, \.b)"#
    ),
  ])
  func indexes(_ declaration: String, _ call: String) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: "@EntityModel struct A { let id: Int\n\(declaration)\nvar z: Int }", extendedType: "A"))
    #expect(output.diagnostics.isEmpty)
    #expect(try #require(output.expansion).contains("    model.\(call)\n    model.property(\"z\", \\.z)\n"))
    #expect(output.expansion?.contains("self.i)") == false)
  }

  /// Where the type of the id may be none that is made from and into text, compilers say what it needs.
  @Test(arguments: [
    ("let id: UUID", true), ("let id: Foundation.UUID", true), ("var id: Key { key }", true), ("let id: String", false),
    ("let id: Int64", false), ("let id = 1", false), ("var id: String { key }", false),
  ])
  func ids(_ declaration: String, _ isDoubtful: Bool) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: "@EntityModel struct A { \(declaration); let key: UUID }", extendedType: "A"))
    #expect(output.diagnostics.isEmpty)
    let said =
      "model.property(\"id\", \\.id)\n" + (isDoubtful ? "    model.id(\\.id)\n" : "") + "    model.property(\"key\""
    #expect(try #require(output.expansion).contains(said))
  }

  /// What one of which is left out may have one inverse.
  @Test func conditionalRelationsMayShareAnInverse() throws {
    let source = #"""
      @EntityModel struct A { let id: Int
      #if os(Linux)
      @Relationship(inverse: \.a) var b: B?
      #else
      @Relationship(inverse: \.a) var c: B?
      #endif
      }
      """#
    #expect(EntityModelMacro.expand(.init(declaration: source, extendedType: "A")).diagnostics.isEmpty)
  }

  @Test func wrappersOfOtherModulesAreProperties() throws {
    let source = "@EntityModel struct A { let id: Int; @Other.Index var a: Int }"
    let output = EntityModelMacro.expand(.init(declaration: source, extendedType: "A"))
    #expect(try #require(output.expansion).contains("model.property(\"a\", \\.a)"))
  }
}
