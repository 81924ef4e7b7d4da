import GQLModelMacroExpansion
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The compiler's messages, as 6.3.1 sends them, over real file descriptors.
@Suite struct PluginTests {
  @Test func tellsWhatItCan() throws {
    let (answers, end) = try converse([#"{"getCapability":{"capability":{"protocolVersion":7}}}"#])
    #expect(answers == [#"{"getCapabilityResult":{"capability":{"protocolVersion":7,"features":[]}}}"#])
    #expect(end == .closed)
  }

  @Test func expandsADeclaration() throws {
    let (answers, end) = try converse([
      #"{"getCapability":{}}"#,
      request(declaration: #"\n// caf\u00e9 \ud83d\ude00\n@EntityModel struct Note {\n  let id: Int\n}"#),
    ])
    let lines: [String] = [
      #"extension Notes.Note: GQLiteModels.EntityModelProtocol {"#,
      #"  static func describe(_ model: inout GQLiteModels.EntityDescription<Self>) {"#,
      #"    model.property(\"id\", \\.id)"#,
      #"    model.readsAsDescribed()"#,
      #"  }"#,
      #"  init(from row: inout GQLiteModels.EntityReader<Self>) throws {"#,
      #"    self.id = try row.read(\"id\")"#,
      #"  }"#,
      #"  func write(to row: inout GQLiteModels.EntityWriter<Self>) throws {"#,
      #"    try row.write(self.id, as: \"id\")"#,
      #"  }"#,
      #"  static var patch: GQLiteModels.MergeStrategy<Self> {"#,
      #"    GQLiteModels.MergeStrategy()"#,
      #"  }"#,
      #"}"#,
    ]
    let source = lines.joined(separator: #"\n"#)
    #expect(answers.last == #"{"expandMacroResult":{"expandedSource":"\#(source)","diagnostics":[]}}"#)
    #expect(end == .closed)
  }

  /// Places are bytes of the file: those of the declaration, which begins at byte 100, and its own.
  @Test func placesDiagnosticsInTheFile() throws {
    let (answers, _) = try converse([
      request(declaration: #"/* é */ @EntityModel struct A { let id: Int; @Relationship() var b: B }"#)
    ])
    let parts: [String] = [
      #","diagnostics":[{"message":"relation 'b' must have the type 'B?', since entities may be there without it""#,
      #""severity":"error""#,
      #""position":{"fileName":"Notes.swift","offset":169}"#,
      #""highlights":[{"fileName":"Notes.swift","startOffset":169,"endOffset":170}]"#,
      #""notes":[]"#,
      #""fixIts":[{"message":"add '?'","changes":[{"range":{"fileName":"Notes.swift","startOffset":170,"endOffset":170}"#,
      #""newText":"?"}]}]}]}}"#,
    ]
    let answer = try #require(answers.first)
    #expect(answer.hasSuffix(parts.joined(separator: ",")))
  }

  @Test func aFieldAddsNothing() throws {
    let (answers, _) = try converse([request(declaration: "@Field(7) var a: Int", macro: "FieldMacro", role: "peer")])
    #expect(answers == [#"{"expandMacroResult":{"expandedSource":"","diagnostics":[]}}"#])
  }

  @Test func aModelOfAClassHasMembersAndAnExtension() throws {
    let declaration = "@Model(id: 1) final class Note { @Property(id: 1) var a: Int }"
    let conformances = "struct Placeholder: ModelProtocol {}"
    let (answers, _) = try converse(
      ["member", "extension"].map { role in
        request(declaration: declaration, conformances: conformances, macro: "StateModelMacro", role: role)
      })
    #expect(
      answers.first?.hasPrefix(
        #"{"expandMacroResult":{"expandedSource":"static var modelId: GQLiteState.ModelKey { 1 }\n\nlet id: "#) == true)
    #expect(
      answers.last
        == #"{"expandMacroResult":{"expandedSource":"extension Notes.Note: GQLiteState.ModelProtocol {\n}","#
        + #""diagnostics":[]}}"#)
  }

  @Test func knowsWhatIsAround() throws {
    let declaration = #"@EntityModel struct A { let id: Int }"#
    let (answers, _) = try converse([
      request(declaration: declaration, context: #"\npublic extension Notes {}"#),
      request(declaration: declaration, conformances: ""),
    ])
    #expect(answers.first?.contains(#"{\n  public static func describe"#) == true)
    #expect(answers.last?.contains(#""extension Notes.Note {\n"#) == true)
  }

  @Test(arguments: [
    (request(declaration: "", macro: "Other"), "this plug-in has no macro 'Other'"),
    (request(declaration: "", role: "member"), "'@EntityModel' can't be expanded as 'member'"),
    (
      #"{"expandAttachedMacro":{"macro":{"typeName":"EntityModelMacro"},"macroRole":"extension"}}"#,
      "'@EntityModel' needs a declaration"
    ),
    (#"{"expandFreestandingMacro":{}}"#, "this plug-in has no freestanding macros"),
  ])
  func refuses(_ message: String, _ reason: String) throws {
    let (answers, end) = try converse([message])
    let parts: [String] = [
      #"{"expandMacroResult":{"expandedSource":null,"diagnostics":[{"message":"\#(reason)","severity":"error""#,
      #""position":{"fileName":"","offset":0},"highlights":[],"notes":[],"fixIts":[]}]}}"#,
    ]
    #expect(answers == [parts.joined(separator: ",")])
    #expect(end == .closed)
  }

  @Test func loadsNoLibraries() throws {
    let (answers, _) = try converse([#"{"loadPluginLibrary":{"libraryPath":"x","moduleName":"y"}}"#])
    #expect(answers == [#"{"loadPluginLibraryResult":{"loaded":false,"diagnostics":[]}}"#])
  }

  @Test(arguments: [
    "{}", "[]", "1", "nul", "{\"a\"}", "{\"getCapability\":", "{\"unknown\":1}", "{\"getCapability\":{}} x",
    "\"\\u12\"",
    "\"\\", "{\"a\":1e999}", String(repeating: "[", count: 100_000),
  ])
  func endsOnWhatItCannotRead(_ message: String) throws {
    let (answers, end) = try converse([message])
    #expect(answers.isEmpty)
    #expect(end == .misunderstood)
  }

  @Test(arguments: [
    ([], PluginConnection.End.closed), ([0, 0, 0, 0, 0, 0, 0, 0], .closed), ([1, 0, 0], .broken),
    ([4, 0, 0, 0, 0, 0, 0, 0, 0x7B], .broken), ([UInt8](repeating: 0xFF, count: 8), .broken),
    ([0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 2], .broken),
  ])
  func endsWithItsInput(_ bytes: [UInt8], _ end: PluginConnection.End) throws {
    let (answers, found) = try converse(bytes: bytes)
    #expect(answers.isEmpty)
    #expect(found == end)
  }

  /// Truncated and changed messages are answered or end the connection; none does harm.
  @Test func mutatedMessages() throws {
    let message = Array(request(declaration: #"@EntityModel struct A { let id: Int }"#).utf8)
    var random = SplitMix(state: 7)
    for _ in 0..<300 {
      var bytes = message
      for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      if random.below(3) == 0 { bytes.removeSubrange(random.below(bytes.count)...) }
      _ = try converse(bytes: framed(bytes))
    }
  }

  // MARK: Talking

  private func framed(_ message: [UInt8]) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: message.count >> (8 * $0)) } + message
  }

  private func converse(_ messages: [String]) throws -> (answers: [String], end: PluginConnection.End) {
    try converse(bytes: messages.flatMap { framed(Array($0.utf8)) })
  }

  /// Everything goes through files, which take any amount without a second thread.
  private func converse(bytes: [UInt8]) throws -> (answers: [String], end: PluginConnection.End) {
    let input = try #require(tmpfile())
    let output = try #require(tmpfile())
    defer {
      fclose(input)
      fclose(output)
    }
    fwrite(bytes, 1, bytes.count, input)
    fflush(input)
    lseek(fileno(input), 0, SEEK_SET)
    let end = PluginConnection(input: fileno(input), output: fileno(output)).serve()
    lseek(fileno(output), 0, SEEK_SET)
    var written: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(fileno(output), &piece, piece.count)
      if count <= 0 { break }
      written += piece[..<count]
    }
    var answers: [String] = []
    while written.count >= 8 {
      let length = written[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
      answers.append(String(decoding: written[8..<8 + length], as: UTF8.self))
      written.removeSubrange(..<(8 + length))
    }
    #expect(written.isEmpty)
    return (answers, end)
  }
}

/// `expandAttachedMacro` with a declaration at byte 100 of a file. Sources are escaped as JSON has them.
private func request(
  declaration: String, context: String? = nil, conformances: String = "struct Placeholder: EntityModelProtocol {}",
  macro: String = "EntityModelMacro", role: String = "extension"
) -> String {
  let members: [String] = [
    #""attributeSyntax":\#(syntax("@EntityModel", kind: "attribute"))"#,
    #""conformanceListSyntax":\#(syntax(conformances))"#,
    #""declSyntax":\#(syntax(declaration, file: "Notes.swift", offset: 100))"#,
    #""discriminator":"$s1a""#,
    #""extendedTypeSyntax":\#(syntax("Notes.Note ", kind: "type"))"#,
    #""lexicalContext":[\#(context.map { syntax($0) } ?? "")]"#,
    #""macro":{"moduleName":"GQLModelMacros","name":"EntityModel","typeName":"\#(macro)"}"#,
    #""macroRole":"\#(role)""#,
    #""staticBuildConfiguration":"{\"features\":[]}""#,
  ]
  return #"{"expandAttachedMacro":{\#(members.joined(separator: ","))}}"#
}

private func syntax(_ source: String, kind: String = "declaration", file: String = "", offset: Int = 0) -> String {
  let location = #"{"column":3,"fileID":"a/b","fileName":"\#(file)","line":4,"offset":\#(offset)}"#
  return #"{"kind":"\#(kind)","location":\#(location),"source":"\#(source)"}"#
}
