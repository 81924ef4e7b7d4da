/// How many relations lie around what is encoded or decoded. Each needs some of the stack, most of it the coder's: of
/// 512 KiB, which threads may have, unoptimised code uses half for as many.
enum CodingDepth {
  @TaskLocal static var current = 0

  static var maximum: Int { 24 }
  static var problem: String { "relations are nested more than \(maximum) deep" }

  /// What decoding throws under an error of the decoder's, so that no other form is tried.
  struct Exceeded: Error {}

  /// The value, or nil if it has another form.
  static func attempt<Value>(_ read: () throws -> Value) throws -> Value? {
    do { return try read() } catch {
      if isExceeded(error) { throw error }
      return nil
    }
  }

  static func isExceeded(_ error: any Error) -> Bool {
    guard case .dataCorrupted(let context) = error as? DecodingError else { return false }
    return context.underlyingError is Exceeded
  }
}
