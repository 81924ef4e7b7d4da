import Testing

/// Rules that every source file keeps.
@Suite struct SourceTests {
  static let swiftFolders = ["Sources", "Tests", "Benchmarks", "Examples"]

  /// One responsibility a file. What does not fit is two things.
  @Test func filesAreShort() {
    for file in Repository.files(in: SourceTests.swiftFolders, extensions: ["swift"]) {
      #expect(file.lines.count <= 600, "\(file.path) has \(file.lines.count) lines; at most 600")
    }
  }

  /// Nothing that an input says may stop the process.
  @Test func sourcesDoNotCrashOnPurpose() {
    let forbidden = ["fatalError(", "try!", "as!"]
    for file in Repository.files(in: ["Sources"], extensions: ["swift"]) {
      for (number, line) in file.code(holding: forbidden) {
        for word in forbidden where line.contains(word) {
          Issue.record("\(file.place(number)): \(word)")
        }
      }
    }
  }

  /// `package` is the widest access below the library.
  @Test func onlyTheLibrariesArePublic() {
    let libraries = [
      "Sources/Engine/", "Sources/Storage/", "Sources/Library/", "Sources/Models/", "Sources/ModelLibrary/",
      "Sources/StateLibrary/",
    ]
    for file in Repository.files(in: ["Sources"], extensions: ["swift"])
    where !libraries.contains(where: file.path.hasPrefix) {
      for (number, line) in file.code(holding: ["public ", "open "]) {
        let isPublic = line.firstMatch(of: #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s/#) != nil
        #expect(!isPublic, "\(file.place(number)): public outside the libraries")
      }
    }
  }

  /// Public declarations that programs do not name begin with an underscore, stand in one file, and are in no document.
  @Test func plumbingOfModelsStandsInOneFile() {
    let declaration = #/^(?:  )?public (?:struct|enum|protocol|class|typealias|func) (_\w+)/#
    var names: Set<String> = []
    for file in Repository.files(in: ["Sources/Models", "Sources/ModelLibrary"], extensions: ["swift"]) {
      for (number, line) in file.code(holding: ["public "]) {
        guard let found = line.firstMatch(of: declaration) else { continue }
        names.insert(String(found.1))
        // A function is a witness of a protocol there.
        let isWitness = line.contains("func _write(into") || line.contains("func _skip()")
        #expect(
          isWitness || file.path.hasSuffix("/Plumbing.swift") || found.1 == "_AnswerIterator",
          "\(file.place(number)): \(found.1)")
      }
    }
    #expect(names.count > 20)
    for file in Repository.files(in: ["docs", "README.md"], extensions: ["md"]) {
      for (number, line) in file.lines.enumerated() {
        for word in line.split(whereSeparator: { !$0.isLetter && $0 != "_" }) where names.contains(String(word)) {
          Issue.record("\(file.place(number)): \(word)")
        }
      }
    }
  }

  @Test func noTabsAndNoTrailingBlanks() {
    let texts: Set<String> = ["swift", "md", "py", "ebnf", "graphql"]
    let scripts = Repository.files(in: ["scripts"], extensions: [""])
    for file in Repository.files(extensions: texts) + scripts {
      for (number, line) in file.lines.enumerated() {
        // Bytes, because a character may be a carriage return and a line feed; recorded only when wrong, for speed.
        let bytes = line.utf8
        if bytes.contains(UInt8(ascii: "\t")) { Issue.record("\(file.place(number)): tab") }
        if let last = bytes.last, [UInt8(ascii: " "), UInt8(ascii: "\r")].contains(last) {
          Issue.record("\(file.place(number)): trailing blank")
        }
      }
    }
  }

  /// What the repository says holds on every machine.
  @Test func noPathsOfOneMachine() {
    // Put together here, so that this file does not hold them.
    let forbidden = ["/wor" + "k/", "/ho" + "me/", "/Use" + "rs/"]
    let texts: Set<String> = [
      "swift", "md", "py", "ebnf", "graphql", "query", "json", "plan", "diagnostics", "h", "modulemap", "",
    ]
    for file in Repository.files(extensions: texts) {
      for (number, line) in file.lines.enumerated() {
        for path in forbidden where line.utf8.contains(path.utf8) {
          Issue.record("\(file.place(number)): \(path)")
        }
      }
    }
  }

  @Test func noPlaceholders() {
    for file in Repository.files(in: ["Sources", "Tests"], extensions: ["swift"]) {
      #expect(!file.path.hasSuffix("/Placeholder.swift"), "\(file.path)")
    }
  }

  @Test(arguments: ["Sources", "Tests", "scripts/setup", "LICENSE", "CONTRIBUTING.md", ".ci/run", ".swift-format"])
  func isThere(_ path: String) {
    #expect(Repository.exists(path), "\(path) is missing from \(Repository.root.path)")
  }
}
