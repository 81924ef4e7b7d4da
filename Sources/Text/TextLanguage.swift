/// A language whose words are reduced to stems, or none. Named by its ISO 639 code.
package struct TextLanguage: Hashable, Sendable {
  package let code: String

  /// Nil for a language that has no stemmer.
  package init?(_ code: String) {
    guard code == "none" || Self.algorithms[code] != nil else { return nil }
    self.code = code
  }

  private init(known code: String) { self.code = code }

  /// What an index, or a text without one, has if nothing is said.
  package static let standard = TextLanguage(known: "en")
  /// Words as they are, case aside.
  package static let none = TextLanguage(known: "none")

  package static var codes: [String] { ["none"] + algorithms.keys.sorted() }

  /// The name of the stemmer; nil for none.
  var algorithm: String? { Self.algorithms[code] }

  private static let algorithms: [String: String] = [
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
  ]
}
