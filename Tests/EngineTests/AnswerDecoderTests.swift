import Foundation
import GQLite
import Testing

@Suite struct AnswerDecoderTests {
  private func answer(_ query: String) throws -> Answer { try Database().query(query) }

  private struct IDs: Decodable, Equatable {
    var a: String
    var b: Int
    var c: UInt8?
    var d: [String]
  }

  @Test func idsAreTextsOrNumbersAsThePropertyIs() throws {
    let decoded = try answer(#"{ a := 7 b := "12" c := "255" d := [1, 2] }"#).decode(IDs.self)
    #expect(decoded == IDs(a: "7", b: 12, c: 255, d: ["1", "2"]))
  }

  @Test func idsOfADatabase() throws {
    let database = try Database(schema: "type A { id: ID! next: A }")
    try database.load([.lines("A", #"{"id": 1, "next": "x"}"# + "\n" + #"{"id": "x"}"#)])
    struct A: Decodable, Equatable {
      var id: String
      var next: String?
    }
    struct Numbered: Decodable { var id: Int }
    let all = try database.query("{ A { id next } }").decode([A].self, at: "A")
    #expect(all == [A(id: "1", next: "x"), A(id: "x", next: nil)])
    let numbered = try database.query("{ A(limit: 1) { id: string(id) } }").decode([Numbered].self, at: "A")
    #expect(numbered.map(\.id) == [1])
  }

  @Test func textsThatAreNoNumbers() throws {
    struct B: Decodable { var b: Int }
    for text in ["", "01", "+1", "1.0", "x", " 1", "99999999999999999999"] {
      #expect(throws: DecodingError.self) { try answer(#"{ b := "\#(text)" }"#).decode(B.self) }
    }
    #expect(try answer("{ b := 3.0 }").decode(B.self).b == 3)
    #expect(throws: DecodingError.self) { try answer("{ b := 3.5 }").decode(B.self) }
    struct S: Decodable { var b: String }
    #expect(throws: DecodingError.self) { try answer("{ b := 3.5 }").decode(S.self) }
    #expect(throws: DecodingError.self) { try answer("{ b := true }").decode(S.self) }
  }

  private struct Values: Decodable, Equatable {
    var date: Date
    var data: Data
    var url: URL
    var decimal: Decimal
    var large: Decimal
    var duration: Duration
    var durations: [Duration]
    var names: [String: Int]
    var nothing: Int?
    var missing: String?
    var float: Float
  }

  @Test func valuesOfFoundation() throws {
    let decoded = try answer(
      """
      { date := "2024-01-31T00:00:01Z" data := "aGk=" url := "https://a.org/x" decimal := 1.25
        large := "12345678901234567890.123" as Decimal duration := "PT1.5S" durations := ["PT1S"]
        names := {a: 1, b: 2} nothing := null float := 0.5 }
      """
    ).decode(Values.self)
    #expect(
      decoded
        == Values(
          date: Date(timeIntervalSince1970: 1_706_659_201), data: Data("hi".utf8),
          url: try #require(URL(string: "https://a.org/x")), decimal: try #require(Decimal(string: "1.25")),
          large: try #require(Decimal(string: "12345678901234567890.123")), duration: .milliseconds(1500),
          durations: [.seconds(1)], names: ["a": 1, "b": 2], nothing: nil, missing: nil, float: 0.5))
  }

  @Test func errorsNameTheirPlace() throws {
    struct Row: Decodable { var n: Int }
    struct Page: Decodable { var rows: [Row] }
    let error = #expect(throws: DecodingError.self) {
      try answer(#"{ rows := [{n: 1}, {n: "x"}] }"#).decode(Page.self)
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["rows", "1", "n"])
    #expect(context.codingPath[1].intValue == 1)
    #expect(throws: DecodingError.self) { try answer("{ x := 1 }").decode(Int.self, at: "y") }
  }
}
