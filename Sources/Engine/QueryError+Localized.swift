#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension QueryError: LocalizedError {
  /// The problems as shown to people, which is what `localizedDescription` returns.
  public var errorDescription: String? {
    var text = description
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
