import GQLModelMacroExpansion
import Testing

/// What `@EmbeddedModel` writes, and what it refuses.
@Suite struct EmbeddedExpansionTests {
  private func expand(_ source: String, context: [String] = []) -> EntityModelMacro.Output {
    EntityModelMacro.expand(
      .init(declaration: source, extendedType: "Address", context: context), as: .embeddedModel)
  }

  /// Each stored property by its key; what Swift codes otherwise than it is is left out.
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
        enum CodingKeys: String, CodingKey { case city, street, zip = "postcode", `default`, level, size, trace }
        struct Level: Codable {
          init(from decoder: any Decoder) throws {}
          func encode(to encoder: any Encoder) throws {}
        }
      }
      """#
    let expected = #"""
      @available(macOS 15, *)
      extension Address: GQLiteModels.EmbeddedModelProtocol {
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

  @Test func whereItStands() {
    #expect(
      expand("@EmbeddedModel struct Address: Codable {}").expansion == """
        extension Address: GQLiteModels.EmbeddedModelProtocol {
          static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>) {
          }
        }
        """)
    let nested = expand("@EmbeddedModel struct Address: Codable {}", context: ["private enum Places {}"])
    #expect(nested.expansion?.contains("  fileprivate static func describe(") == true)
  }

  @Test(arguments: [
    ("@EmbeddedModel class Address: Codable {}", "'@EmbeddedModel' needs a struct, and 'Address' is a class", 15..<20),
    ("@EmbeddedModel enum Address {}", "'@EmbeddedModel' needs a struct, and 'Address' is an enum", 15..<19),
    ("@EmbeddedModel var address: Int", "'@EmbeddedModel' needs a struct", 0..<1),
    (
      "@EmbeddedModel struct Address { var a: Int; init(from decoder: any Decoder) throws { a = 1 } }",
      "'@EmbeddedModel' says that properties are coded as they are, and 'Address' has its own 'init(from:)'; say by hand in 'describe(_:)' which are",
      44..<48
    ),
    (
      "@EmbeddedModel struct Address { func encode(to encoder: any Encoder) throws {} }",
      "'@EmbeddedModel' says that properties are coded as they are, and 'Address' has its own 'encode(to:)'; say by hand in 'describe(_:)' which are",
      37..<43
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
      "#if", "X", "#endif", "=", "\"",
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
