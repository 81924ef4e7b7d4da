import Foundation
import GQLiteModels
import Testing

private typealias MaybeInt = Int?

@propertyWrapper
private struct Clamped: Codable, Equatable {
  var wrappedValue: Int
  init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
}

/// Is there even where its key is not, by what the program adds to containers.
@propertyWrapper
private struct Lenient: Codable, Equatable {
  var wrappedValue: String
  init(wrappedValue: String) { self.wrappedValue = wrappedValue }
}

extension KeyedDecodingContainer {
  fileprivate func decode(_ type: Lenient.Type, forKey key: Key) throws -> Lenient {
    try decodeIfPresent(type, forKey: key) ?? Lenient(wrappedValue: "lenient")
  }
}

private enum Level: String, CaseIterable, Codable { case low = "LOW", high = "HIGH" }

/// Each type here that is an embedded model has a twin whose coding Swift writes.
private enum Embedded {
  @EmbeddedModel
  struct All: Codable, Equatable {
    var city: String, street = "none"
    var zip: String?
    private(set) var rank = 3
    let kind = "all"
    let since: Date?
    var maybe: MaybeInt
    var twice: Int??
    var few: [Inner] = []
    var byName: [String: Inner?]?
    var inner: Inner
    var other: Inner? = Inner(lat: 1)
    var level: Level = .low
    var size: Float = 1.5, bits: UInt8 = 0
    var place: URL?
    @Clamped var clamped: Int = 1
    @Lenient var lenient: String = "new"
    lazy var cache = 1
    static let shared = 1
    var line: String { city + street }
    var `default` = true { didSet { rank += 1 } }
    #if canImport(Foundation)
      var here: Int?
    #else
      var there: NoSuchType
    #endif
  }

  @EmbeddedModel
  struct Inner: Codable, Equatable {
    var lat: Double
    var label: String?
  }

  @EmbeddedModel
  struct Keyed: Codable, Equatable {
    let a: Int
    var b: String?
    var left = "left"
    var maybe: Int?
    var `self`: Int = 1

    private enum CodingKeys: String, CodingKey {
      case b = "c", a = "b"
      case `self` = "SELF"
    }
  }

  @EmbeddedModel
  struct Generic<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value
    var list: [Value] = []
    var maybe: Value?
  }

  @EmbeddedModel struct Nothing: Codable, Equatable {}
  @EmbeddedModel struct Constant: Codable, Equatable { let x = 5 }
  @EmbeddedModel
  struct Unkeyed: Codable, Equatable {
    var x = 5
    enum CodingKeys: CodingKey {}
  }
  @EmbeddedModel
  struct Conditional: Codable, Equatable {
    #if canImport(Foundation)
      var x = 5
    #endif
    #if !canImport(Foundation)
      var y = 5
    #endif
  }
}

private enum Plain {
  struct All: Codable, Equatable {
    var city: String, street = "none"
    var zip: String?
    private(set) var rank = 3
    let kind = "all"
    let since: Date?
    var maybe: MaybeInt
    var twice: Int??
    var few: [Inner] = []
    var byName: [String: Inner?]?
    var inner: Inner
    var other: Inner? = Inner(lat: 1)
    var level: Level = .low
    var size: Float = 1.5, bits: UInt8 = 0
    var place: URL?
    @Clamped var clamped: Int = 1
    @Lenient var lenient: String = "new"
    lazy var cache = 1
    static let shared = 1
    var line: String { city + street }
    var `default` = true { didSet { rank += 1 } }
    #if canImport(Foundation)
      var here: Int?
    #else
      var there: NoSuchType
    #endif

    private enum CodingKeys: CodingKey {
      case city, street, zip, rank, kind, since, maybe, twice, few, byName, inner, other, level, size, bits,
        place
      case clamped, lenient, `default`, here
    }
  }

  struct Inner: Codable, Equatable {
    var lat: Double
    var label: String?
  }

  struct Keyed: Codable, Equatable {
    let a: Int
    var b: String?
    var left = "left"
    var maybe: Int?
    var `self`: Int = 1

    private enum CodingKeys: String, CodingKey {
      case b = "c", a = "b"
      case `self` = "SELF"
    }
  }

  struct Generic<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value
    var list: [Value] = []
    var maybe: Value?
  }

  struct Nothing: Codable, Equatable {}
  struct Constant: Codable, Equatable {
    let x = 5
    private enum CodingKeys: CodingKey { case x }
  }
  struct Unkeyed: Codable, Equatable {
    var x = 5
    enum CodingKeys: CodingKey {}
  }
  struct Conditional: Codable, Equatable {
    #if canImport(Foundation)
      var x = 5
    #endif
    #if !canImport(Foundation)
      var y = 5
    #endif
  }
}

/// The coding that `@EmbeddedModel` writes is the one that Swift writes.
@Suite struct EmbeddedCodingTests {
  /// What comes of a text: the text of what it was decoded as, or the error.
  private func outcome<Value: Codable>(_ type: Value.Type, _ text: String) -> String {
    func words(_ error: any Error) -> String {
      func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }.joined(separator: ".")
          + ": \(context.debugDescription)"
      }
      return switch error as? DecodingError {
      case .typeMismatch(let type, let context): "mismatch \(type) \(path(context))"
      case .valueNotFound(let type, let context): "no value \(type) \(path(context))"
      case .keyNotFound(let key, let context): "no key \(key.stringValue) \(path(context))"
      case .dataCorrupted(let context): "corrupted \(path(context))"
      default: "\(error)"
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      let value = try JSONDecoder().decode(type, from: Data(text.utf8))
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch { return words(error).replacing("Embedded.", with: "Plain.") }
  }

  private func check<Model: Codable, Twin: Codable>(_ model: Model.Type, _ twin: Twin.Type, _ texts: [String]) {
    for text in texts {
      let wanted = outcome(twin, text)
      #expect(outcome(model, text) == wanted, "\(model): \(text)")
    }
  }

  /// A whole text, and it without each of its keys, with null and with another type under each.
  private func variants(_ whole: [(key: String, value: String)]) -> [String] {
    func text(_ pairs: [(key: String, value: String)]) -> String {
      "{" + pairs.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
    var texts = [text(whole), "{}", "[]", "3", "null", text(whole.reversed()), text(whole + [("more", "1")])]
    for index in whole.indices {
      var pairs = whole
      pairs.remove(at: index)
      texts.append(text(pairs))
      for value in [
        "null", "\"x\"", "1", "-1.5", "1e300", "true", "[]", "[null]", "{}", "{\"lat\":\"x\"}", "[{\"lat\":1},{}]",
      ] {
        pairs = whole
        pairs[index].value = value
        texts.append(text(pairs))
      }
    }
    return texts
  }

  @Test func allKinds() {
    let inner = #"{"lat":1.5,"label":null}"#
    let whole: [(key: String, value: String)] = [
      ("city", #""Bonn""#), ("street", #""Am Hof""#), ("zip", #""53111""#), ("rank", "7"), ("kind", #""other""#),
      ("since", "12.5"), ("maybe", "1"), ("twice", "2"), ("few", "[\(inner)]"),
      ("byName", #"{"x":null,"y":\#(inner)}"#), ("inner", inner), ("other", inner), ("level", #""HIGH""#),
      ("size", "0.1"), ("bits", "255"), ("place", #""a b""#), ("clamped", #"{"wrappedValue":3}"#),
      ("lenient", #"{"wrappedValue":"y"}"#), ("default", "false"), ("here", "4"),
    ]
    check(Embedded.All.self, Plain.All.self, variants(whole))
    #expect(outcome(Embedded.All.self, variants(whole)[0]).contains(#""lenient":{"wrappedValue":"y"}"#))
  }

  @Test func ownKeys() {
    let whole: [(key: String, value: String)] = [
      ("c", #""x""#), ("b", "1"), ("SELF", "3"), ("a", "4"), ("left", #""y""#), ("maybe", "5"),
    ]
    check(Embedded.Keyed.self, Plain.Keyed.self, variants(whole))
    #expect(outcome(Embedded.Keyed.self, variants(whole)[0]) == #"{"SELF":3,"b":1,"c":"x"}"#)
  }

  @Test func generics() {
    let texts = variants([("value", "1"), ("list", "[1,2]"), ("maybe", "3")])
    check(Embedded.Generic<Int>.self, Plain.Generic<Int>.self, texts)
    check(Embedded.Generic<Int?>.self, Plain.Generic<Int?>.self, texts)
    check(Embedded.Generic<[String: Int]>.self, Plain.Generic<[String: Int]>.self, texts)
    check(Embedded.Generic<Embedded.Inner>.self, Plain.Generic<Plain.Inner>.self, texts)
    #expect(outcome(Embedded.Generic<Int?>.self, #"{"value":null,"list":[null]}"#) == #"{"list":[null],"value":null}"#)
  }

  @Test func withoutKeys() {
    let texts = variants([("x", "1"), ("y", "2")])
    check(Embedded.Nothing.self, Plain.Nothing.self, texts)
    check(Embedded.Constant.self, Plain.Constant.self, texts)
    check(Embedded.Unkeyed.self, Plain.Unkeyed.self, texts)
    check(Embedded.Conditional.self, Plain.Conditional.self, texts)
  }

  /// The memberwise initializer is still there, and nil is not written.
  @Test func values() throws {
    var value = Embedded.All(city: "Ulm", since: nil, maybe: nil, twice: .some(nil), inner: .init(lat: 2))
    value.other = nil
    value.default = false
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    #expect(
      text == #"{"bits":0,"city":"Ulm","clamped":{"wrappedValue":1},"default":false,"few":[],"inner":{"lat":2},"#
        + #""kind":"all","lenient":{"wrappedValue":"new"},"level":"LOW","rank":4,"size":1.5,"street":"none","twice":null}"#
    )
    value.twice = nil
    #expect(try JSONDecoder().decode(Embedded.All.self, from: Data(text.utf8)) == value)
  }
}
