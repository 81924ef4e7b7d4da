import Foundation
import Testing

/// "Type Safety": what must not be written is no program. The compiler is asked, with the modules that were built beside
/// these tests.
@Suite struct TypeSafetyTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardizedFileURL
  private static let modules = root.appending(path: ".build/debug/Modules")

  private static let head = """
    import GQLiteModels

    struct User: EntityModelProtocol {
      let id: String
      @Relationship(inverse: \\.author) var messages: [Message]?
      static func describe(_ model: inout EntityDescription<Self>) {
        model.property("id", \\.id)
        model.relation("messages", \\.messages, \\.$messages, inverse: \\.$author, "author")
      }
      init(from row: inout EntityReader<Self>) throws { id = try row.read("id") }
      func write(to row: inout EntityWriter<Self>) throws { try row.write(id, as: "id") }
    }

    struct Message: EntityModelProtocol {
      let id: String
      @Relationship(.required, inverse: \\.messages) var author: User?
      @Relationship var reader: User? = nil
      static func describe(_ model: inout EntityDescription<Self>) {
        model.property("id", \\.id)
        model.relation("author", \\.author, \\.$author, inverse: \\.$messages, "messages")
        model.relation("reader", \\.reader, \\.$reader)
      }
      init(from row: inout EntityReader<Self>) throws { id = try row.read("id") }
      func write(to row: inout EntityWriter<Self>) throws { try row.write(id, as: "id") }
    }

    func use(_ user: inout User, _ message: inout Message, _ model: inout EntityDescription<User>, _ context: inout Context) throws {

    """

  /// Statements, and whether they are right.
  private static let lines: [(text: String, isRight: Bool)] = [
    ("message.$reader = .null", true),
    // An explicit nil for a required relation.
    ("message.$author = .null", false),
    ("message.$author = .id(\"1\")", true),
    // To one and to many.
    ("message.$author = .ids([\"1\"])", false),
    ("user.$messages = .id(\"1\")", false),
    ("user.$messages = .appending(ids: [\"1\"])", true),
    ("message.$author = .appending(ids: [\"1\"])", false),
    ("user.$messages = .null", false),
    // Another entity than the relation leads to.
    ("message.$author = .relation(message)", false),
    ("message.$author = .relation(user)", true),
    // Mutual on one side, and one way on the other.
    (#"model.relation("messages", \.messages, \.$messages, inverse: \.$reader, "reader")"#, false),
    (#"model.relation("messages", \.messages, \.$messages, deleteRule: .cascade)"#, false),
    (#"message.detach(\.$author, inverse: \.$messages, in: &context)"#, true),
    (#"message.detach(\.$reader, inverse: \.$messages, in: &context)"#, false),
    // Another relation than a mutual one of these two types as the other side.
    (#"message.detach(\.$author, inverse: \.id, in: &context)"#, false),
    (#"try user.delete(\.$messages, inverse: \.$reader, from: &context)"#, false),
    (#"try user.delete(\.$messages, inverse: \.$author, from: &context)"#, true),
    // Queries go to any thread, and so do their key paths.
    ("do { let path = \\User.id; _ = User.query().sorted(by: path).filter(path == \"1\") }", true),
    ("do { let path: KeyPath<User, String> = \\.id; _ = User.query().filter(path == \"1\") }", false),
    ("do { let path: KeyPath<User, String> = \\.id; _ = User.query().sorted(by: path) }", false),
    ("do { let path: KeyPath<User, String> & Sendable = \\.id; _ = User.query().sorted(by: path) }", true),
    // The property is what was loaded; the relation is set by the projected value.
    ("message.author = user", false),
  ]

  @Test(.enabled(if: FileManager.default.fileExists(atPath: modules.appending(path: "GQLiteModels.swiftmodule").path)))
  func misuseDoesNotCompile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "misuse-\(UUID().uuidString).swift")
    let source = Self.head + Self.lines.map { "  \($0.text)\n" }.joined() + "}\n"
    try source.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-I", Self.modules.path]
    for module in ["CPCRE2", "CStemmer", "CSQLite3", "CZlib", "CZstd", "CSwiftRuntime"] {
      let map = Self.root.appending(path: "Sources/\(module)/module.modulemap").path
      compiler.arguments?.append(contentsOf: ["-Xcc", "-fmodule-map-file=\(map)"])
    }
    compiler.arguments?.append(file.path)
    let errors = Pipe()
    compiler.standardError = errors
    compiler.standardOutput = FileHandle.nullDevice
    try compiler.run()
    let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()
    var wrong = Set<Int>()
    for match in output.matches(of: #/(?m)^.*misuse-[-\w]+\.swift:(\d+):\d+: error:/#) {
      if let number = Int(match.1) { wrong.insert(number) }
    }
    let first = Self.head.count { $0 == "\n" } + 1
    let expected = Self.lines.indices.filter { !Self.lines[$0].isRight }.map { first + $0 }
    #expect(wrong.sorted() == expected, "\(output)")
  }
}
