import GQLModelMacroExpansion
import Testing

/// What `@EmbeddedModel` writes, and what it refuses.
@Suite struct EmbeddedExpansionTests {
  private func expand(_ source: String, context: [String] = []) -> EntityModelMacro.Output {
    EntityModelMacro.expand(
      .init(declaration: source, extendedType: "Address", context: context), as: .embeddedModel)
  }

  private func lines(_ names: [String], _ keyword: String, _ indent: String = "    ") -> String {
    names.map { name in
      let ways =
        "\(keyword)($0, forKey: CodingKeys.\(name)) }, { try container.\(keyword)IfPresent($0, forKey: CodingKeys.\(name)) }"
      return keyword == "decode"
        ? "\(indent)self.\(name) = try GQLiteModels._codedPart(\\Self.\(name)).decode({ try container.\(ways))"
        : "\(indent)try GQLiteModels._codedPart(\\Self.\(name)).encode(self.\(name), { try container.\(ways))"
    }.joined(separator: "\n")
  }

  /// Each stored property by its key; what Swift codes otherwise than it is is coded, but not described.
  @Test func propertiesByTheirKeys() {
    let source = #"""
      // Where letters go.
      @EmbeddedModel @available(macOS 15, *)
      public struct Address: Codable, Hashable, Sendable {
        public var city, street: String
        private let zip: String?
        var `default`: Int = 1
        @MainActor var level: Level { didSet { print(level) } }
        let kind = "home"
        @Clamped var size: Int
        lazy var cache = 1
        static var count = 0
        var line: String { "\(city) \(zip ?? "")" }
        #if DEBUG
        var trace: [String]
        #endif
        #if OTHER
        func f() {}
        #endif

        init(of text: String, _ encode: (String) -> Void = { to in }) { encode(text) }
        struct Level: Codable {
          enum CodingKeys: CodingKey { case x }
          init(from decoder: any Decoder) throws {}
          func encode(to encoder: any Encoder) throws {}
        }
      }
      """#
    let wrapped = "CodingKeys.size) }, "
    let size = (
      #"    self._size = try GQLiteModels._codedPart(\Self._size).decode({ try container.decode($0, forKey: \#(wrapped)"#
        + "{ try container.decodeIfPresent($0, forKey: CodingKeys.size) })",
      #"    try GQLiteModels._codedPart(\Self._size).encode(self._size, { try container.encode($0, forKey: \#(wrapped)"#
        + "{ try container.encodeIfPresent($0, forKey: CodingKeys.size) })"
    )
    let names = ["city", "street", "zip", "`default`", "level"]
    let expected = #"""
      @available(macOS 15, *)
      extension Address: GQLiteModels.EmbeddedModelProtocol {
        enum CodingKeys: Swift.CodingKey {
          case city
          case street
          case zip
          case `default`
          case level
          case kind
          case size
          #if DEBUG
          case trace
          #endif
        }
        public init(from decoder: any Swift.Decoder) throws {
          let container = try decoder.container(keyedBy: CodingKeys.self)
      \#(lines(names, "decode"))
      \#(size.0)
          #if DEBUG
      \#(lines(["trace"], "decode"))
          #endif
        }
        public func encode(to encoder: any Swift.Encoder) throws {
          var container = encoder.container(keyedBy: CodingKeys.self)
      \#(lines(names + ["kind"], "encode"))
      \#(size.1)
          #if DEBUG
      \#(lines(["trace"], "encode"))
          #endif
        }
        public static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>) {
          model.field(CodingKeys.city, \.city, \.?.city)
          model.field(CodingKeys.street, \.street, \.?.street)
          model.field(CodingKeys.zip, \.zip, \.?.zip)
          model.field(CodingKeys.`default`, \.`default`, \.?.`default`)
          model.field(CodingKeys.level, \.level, \.?.level)
          #if DEBUG
          model.field(CodingKeys.trace, \.trace, \.?.trace)
          #endif
        }
      }
      """#
    let output = expand(source)
    #expect(output.expansion == expected)
    #expect(output.diagnostics.isEmpty)
  }

  /// `Type` and `Protocol` are the types' own behind a type, and members behind its value.
  @Test func wordsBehindADot() {
    let source = "@EmbeddedModel struct Address { var `Type`: Int; @Clamped var `Protocol`: Int; var `self`: Int }"
    let expected = #"""
      extension Address: GQLiteModels.EmbeddedModelProtocol {
        enum CodingKeys: Swift.CodingKey {
          case `Type`
          case `Protocol`
          case `self`
        }
        init(from decoder: any Swift.Decoder) throws {
          let container = try decoder.container(keyedBy: CodingKeys.self)
          self.`Type` = try GQLiteModels._codedPart(\Self.self.`Type`).decode({ try container.decode($0, forKey: CodingKeys.self.`Type`) }, { try container.decodeIfPresent($0, forKey: CodingKeys.self.`Type`) })
          self._Protocol = try GQLiteModels._codedPart(\Self._Protocol).decode({ try container.decode($0, forKey: CodingKeys.self.`Protocol`) }, { try container.decodeIfPresent($0, forKey: CodingKeys.self.`Protocol`) })
      \#(lines(["`self`"], "decode"))
        }
        func encode(to encoder: any Swift.Encoder) throws {
          var container = encoder.container(keyedBy: CodingKeys.self)
          try GQLiteModels._codedPart(\Self.self.`Type`).encode(self.`Type`, { try container.encode($0, forKey: CodingKeys.self.`Type`) }, { try container.encodeIfPresent($0, forKey: CodingKeys.self.`Type`) })
          try GQLiteModels._codedPart(\Self._Protocol).encode(self._Protocol, { try container.encode($0, forKey: CodingKeys.self.`Protocol`) }, { try container.encodeIfPresent($0, forKey: CodingKeys.self.`Protocol`) })
      \#(lines(["`self`"], "encode"))
        }
        static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>) {
          model.field(CodingKeys.self.`Type`, \.`Type`, \.?.`Type`)
          model.field(CodingKeys.`self`, \.`self`, \.?.`self`)
        }
      }
      """#
    #expect(expand(source).expansion == expected)
  }

  /// Properties without a case of the struct's own `CodingKeys` are neither coded nor described.
  @Test func ownKeys() {
    let source = #"""
      @EmbeddedModel struct Address {
        var city: String
        var left = 1, zip: String?
        let kind = "home"
        @available(*, deprecated) var old = 3
        private enum CodingKeys: String, CodingKey {
          static let first = CodingKeys.zip
          var isFirst: Bool { switch self { case .city: true; case .left: false } }
          case zip = """
            post, case left
            """,
            `city`
          #if DEBUG
          #if A
          case old = "x"
          #else
          case old; case kind
          #endif
          #endif
        }
      }
      """#
    let expected = #"""
      extension Address: GQLiteModels.EmbeddedModelProtocol {
        @available(*, deprecated)
        init(from decoder: any Swift.Decoder) throws {
          let container = try decoder.container(keyedBy: CodingKeys.self)
      \#(lines(["city", "zip"], "decode"))
          #if DEBUG
          #if A
      \#(lines(["old"], "decode"))
          #endif
          #endif
          #if DEBUG
          #if A
          #else
      \#(lines(["old"], "decode"))
          #endif
          #endif
        }
        @available(*, deprecated)
        func encode(to encoder: any Swift.Encoder) throws {
          var container = encoder.container(keyedBy: CodingKeys.self)
      \#(lines(["city", "zip"], "encode"))
          #if DEBUG
          #if A
          #else
      \#(lines(["kind"], "encode"))
          #endif
          #endif
          #if DEBUG
          #if A
      \#(lines(["old"], "encode"))
          #endif
          #endif
          #if DEBUG
          #if A
          #else
      \#(lines(["old"], "encode"))
          #endif
          #endif
        }
        @available(*, deprecated)
        static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>) {
          model.field(CodingKeys.city, \.city, \.?.city)
          model.field(CodingKeys.zip, \.zip, \.?.zip)
          #if DEBUG
          #if A
          model.field(CodingKeys.old, \.old, \.?.old)
          #endif
          #endif
          #if DEBUG
          #if A
          #else
          model.field(CodingKeys.old, \.old, \.?.old)
          #endif
          #endif
        }
      }
      """#
    let output = expand(source)
    #expect(output.expansion == expected)
    #expect(output.diagnostics.isEmpty)
    // What is in it is not seen here.
    let other = expand("@EmbeddedModel struct Address { var a = 1; typealias CodingKeys = Keys }")
    #expect(other.expansion?.contains("case a") == false)
    #expect(other.expansion?.contains(lines(["a"], "decode")) == true)
  }

  /// A wrapper may have any name; what the compiler knows, and actors, wrap nothing.
  @Test(arguments: [
    ("@Clamped(1) var", true), ("@clamped var", true), ("@Wrappers.Clamped<Int> var", true),
    ("@available(*, unavailable) var", false),
    ("@usableFromInline var", false), ("@_spi(X) public var", false), ("@MainActor var", false),
    ("private(set) var", false),
    ("@StoreActor @nonobjc var", false), ("@available(macOS 15, *) @Clamped var", true),
  ])
  func wrappers(_ head: String, _ isWrapped: Bool) {
    let expansion = expand("@EmbeddedModel struct Address { \(head) a = 1 }").expansion ?? ""
    #expect(expansion.contains("encode(self._a, ") == isWrapped)
    #expect(expansion.contains("encode(self.a, ") != isWrapped)
    #expect(expansion.contains("model.field(") != isWrapped)
  }

  /// What is under conditions only has containers of its own, which would else be made for nothing.
  @Test func containers() {
    let empty = #"""
      extension Address: GQLiteModels.EmbeddedModelProtocol {
        enum CodingKeys: Swift.CodingKey {
        }
        init(from decoder: any Swift.Decoder) throws {
        }
        func encode(to encoder: any Swift.Encoder) throws {
          _ = encoder.container(keyedBy: CodingKeys.self)
        }
        static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>) {
        }
      }
      """#
    #expect(expand("@EmbeddedModel struct Address: Codable {}").expansion == empty)
    let source = """
      @EmbeddedModel struct Address {
        let a = 1
        #if X
        var b: Int
        #endif
      }
      """
    let expected = #"""
      extension Address: GQLiteModels.EmbeddedModelProtocol {
        enum CodingKeys: Swift.CodingKey {
          case a
          #if X
          case b
          #endif
        }
        init(from decoder: any Swift.Decoder) throws {
          _ = try decoder.container(keyedBy: CodingKeys.self)
          #if X
          do {
            let container = try decoder.container(keyedBy: CodingKeys.self)
      \#(lines(["b"], "decode", "      "))
          }
          #endif
        }
        func encode(to encoder: any Swift.Encoder) throws {
          var container = encoder.container(keyedBy: CodingKeys.self)
      \#(lines(["a"], "encode"))
          #if X
      \#(lines(["b"], "encode"))
          #endif
        }
        static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>) {
          #if X
          model.field(CodingKeys.b, \.b, \.?.b)
          #endif
        }
      }
      """#
    #expect(expand(source).expansion == expected)
  }

  @Test func whereItStands() {
    let nested = expand("@EmbeddedModel struct Address: Codable { var a = 1 }", context: ["private enum Places {}"])
    for member in ["enum CodingKeys: ", "init(from ", "func encode(", "static func describe("] {
      #expect(nested.expansion?.contains("  fileprivate \(member)") == true)
    }
    let package = expand("@EmbeddedModel package struct Address: Codable { var a = 1 }")
    for member in ["  enum CodingKeys: ", "  package init(from ", "  package func encode("] {
      #expect(package.expansion?.contains(member) == true)
    }
  }

  /// What is called like coding, and is none.
  @Test(arguments: [
    "init(from x: Int) {}", "init(from: Decoders) {}", "init(from x: any Decoder, _ y: Int) {}",
    "init(from x: [Decoder]) {}",
    "init(from x: any My.Decoder) {}", "func encode(to x: Data) {}", "static func encode(to x: any Encoder) {}",
    "func encode(to x: any Encoder?) {}", "var a = Self.init(from: Decoder)", "func decode(from x: any Decoder) {}",
  ])
  func otherMembers(_ member: String) {
    let output = expand("@EmbeddedModel struct Address { \(member) }")
    #expect(output.diagnostics.isEmpty && output.expansion != nil)
  }

  @Test(arguments: [
    "init(from: Decoder) throws {}", "init(from x: Decoder) throws {}", "init(from _: any Swift.Decoder) throws {}",
    "public init(from decoder: (some Decoder)) throws {}",
  ])
  func ownDecoding(_ member: String) {
    #expect(expand("@EmbeddedModel struct Address { \(member) }").diagnostics.count == 1)
  }

  @Test(arguments: [
    ("@EmbeddedModel class Address: Codable {}", "'@EmbeddedModel' needs a struct, and 'Address' is a class", 15..<20),
    ("@EmbeddedModel enum Address {}", "'@EmbeddedModel' needs a struct, and 'Address' is an enum", 15..<19),
    ("@EmbeddedModel var address: Int", "'@EmbeddedModel' needs a struct", 0..<1),
    (
      "@EmbeddedModel struct Address { var a: Int; init(from decoder: any Decoder) throws { a = 1 } }",
      "'@EmbeddedModel' codes properties as they are, and 'Address' has its own 'init(from:)'; conform it to 'EmbeddedModelProtocol' by hand, and say in 'describe(_:)' which are",
      44..<48
    ),
    (
      "@EmbeddedModel struct Address { func encode(to encoder: any Encoder) throws {} }",
      "'@EmbeddedModel' codes properties as they are, and 'Address' has its own 'encode(to:)'; conform it to 'EmbeddedModelProtocol' by hand, and say in 'describe(_:)' which are",
      37..<43
    ),
    (
      "@EmbeddedModel struct Address {\n#if A\nenum CodingKeys: CodingKey {}\n#endif\n}",
      "'CodingKeys' can't stand under '#if' in an embedded model; conditions may stand around its cases", 38..<42
    ),
    (
      "@EmbeddedModel struct Address { var a: Int { 1 }; lazy var b = 1; var c = 1; enum CodingKeys: CodingKey { case c, b } }",
      "'b' of 'CodingKeys' is no stored property of 'Address'", 114..<115
    ),
  ])
  func diagnostic(_ source: String, _ message: String, _ range: Range<Int>) {
    let output = expand(source)
    #expect(output.expansion == nil)
    #expect(output.diagnostics.map(\.message) == [message])
    #expect(output.diagnostics.map(\.range) == [range])
  }

  @Test func privateTypesInOthers() {
    let output = expand("@EmbeddedModel private struct Address {}", context: ["enum Schema {}"])
    #expect(
      output.diagnostics.map(\.message) == [
        "nested embedded model 'Address' can't be 'private', since its extension stands in the file; use 'fileprivate'"
      ])
  }

  /// Whatever stands there, something comes of it.
  @Test func anyTokens() {
    let tokens = [
      "@EmbeddedModel", "struct", "A", "{", "}", "(", ")", "init", "from", "func", "encode", "to", "var", "let", ":",
      "#if", "X", "#endif", "#else", "=", "\"", "enum", "CodingKeys", "case", "x", ",", "Decoder",
    ]
    var state: UInt64 = 3
    for _ in 0..<2000 {
      var words: [String] = []
      for _ in 0..<20 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        words.append(tokens[Int(state >> 33) % tokens.count])
      }
      _ = expand(words.joined(separator: state & 0x100_0000 == 0 ? " " : "\n"))
    }
  }
}
