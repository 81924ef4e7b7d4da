import GQLBase
import GQLParser
import Testing

@Suite(.enabled(if: SharedFixtures.graphQL != nil, SharedFixtures.missing))
struct ConformanceTests {
  @Test(arguments: Dialect.allCases)
  func validDocumentsHaveGraphQLsTree(dialect: Dialect) throws {
    let trees = try SharedFixtures.trees()
    let documents = try SharedFixtures.documents("valid") + SharedFixtures.documents("realworld")
    #expect(documents.count > 1_300)
    var compared = 0
    for source in documents {
      let parsed = parse(source, dialect: dialect)
      #expect(parsed.diagnostics.isEmpty, "\(source.name)\n\(summary(parsed.diagnostics, source))")
      guard let expected = trees[source.name] else { continue }
      compared += 1
      let actual = graphQLJSON(parsed.output)
      #expect(actual == expected, "\(source.name)")
    }
    #expect(compared == trees.count)
  }

  @Test(arguments: Dialect.allCases)
  func printedDocumentsAreTheSameDocuments(dialect: Dialect) throws {
    for source in try SharedFixtures.documents("valid") + SharedFixtures.documents("realworld") {
      let document = parse(source, dialect: dialect).output
      let printed = SourceText(print(document))
      let again = parse(printed, dialect: dialect)
      #expect(again.diagnostics.isEmpty, "\(source.name)\n\(summary(again.diagnostics, printed))")
      #expect(again.output.isSameTree(as: document), "\(source.name)")
      #expect(print(again.output).utf8.elementsEqual(printed.bytes), "\(source.name)")
    }
  }

  @Test func formattingKeepsTheTreeAndTheComments() throws {
    for source in try SharedFixtures.documents("valid") + SharedFixtures.documents("realworld") {
      let formatted = format(source)
      #expect(!formatted.hasErrors, "\(source.name)")
      let text = SourceText(formatted.output)
      let again = parse(text)
      #expect(again.diagnostics.isEmpty, "\(source.name)\n\(summary(again.diagnostics, text))")
      #expect(again.output.isSameTree(as: parse(source).output), "\(source.name)")
      #expect(format(text).output == formatted.output, "\(source.name)")
      #expect(commentLines(text) == commentLines(source), "\(source.name)")
    }
  }

  @Test func invalidDocumentsAreRefusedAtAPlace() throws {
    let documents = try SharedFixtures.documents("invalid")
    #expect(documents.count > 100)
    for source in documents {
      let parsed = parse(source, dialect: .graphql)
      #expect(parsed.hasErrors, "\(source.name)")
      for diagnostic in parsed.diagnostics {
        #expect(diagnostic.range.start <= diagnostic.range.end && Int(diagnostic.range.end) <= source.bytes.count)
      }
    }
  }
}

/// The comments of a text whose strings hold no `#`; those of others count by their last lines.
private func commentLines(_ source: SourceText) -> [String] {
  var comments: [String] = []
  var index = 0
  let bytes = source.bytes
  while index < bytes.count {
    switch bytes[index] {
    case UInt8(ascii: "\""):
      let isBlock = index + 2 < bytes.count && bytes[index + 1] == bytes[index] && bytes[index + 2] == bytes[index]
      index += isBlock ? 3 : 1
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: "\\") {
          index +=
            isBlock && index + 3 < bytes.count && bytes[index + 1] == 0x22 && bytes[index + 2] == 0x22
            ? 4 : isBlock ? 1 : 2
          continue
        }
        if bytes[index] == UInt8(ascii: "\"") {
          if !isBlock { break }
          if index + 2 < bytes.count, bytes[index + 1] == 0x22, bytes[index + 2] == 0x22 {
            index += 2
            break
          }
        }
        index += 1
      }
      index += 1
    case UInt8(ascii: "#"):
      let start = index
      while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
      var end = index
      while bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
      comments.append(String(decoding: bytes[start..<end], as: UTF8.self))
    default: index += 1
    }
  }
  return comments
}
