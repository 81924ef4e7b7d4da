/// A place for what another module keeps with a database.
package final class Attachment: Sendable {
  private let content = Lock<(any AnyObject & Sendable)?>(nil)

  /// Returns what is kept, which is made once.
  package func content<Content: AnyObject & Sendable>(_ make: () -> Content) -> Content {
    content.withLock { content in
      if let content = content as? Content { return content }
      let made = make()
      content = made
      return made
    }
  }
}
