import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Work on several processors at once.
enum ConcurrentWork {
  /// More than these do not read faster than memory and the merging of what they read.
  private static let mostProcessors = 4

  /// Counts the processors that work is spread over.
  static let processorCount = max(1, min(mostProcessors, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

  /// Returns what a function makes of each element, in their order; it runs for several of them at once.
  static func map<Element: Sendable, Output>(
    _ elements: [Element], _ body: @Sendable (Element) -> Output
  ) -> [Output] {
    guard elements.count > 1 else { return elements.map(body) }
    return Array(unsafeUninitializedCapacity: elements.count) { buffer, count in
      // Each run writes a place of its own, and all have ended before the places are read.
      nonisolated(unsafe) let places = buffer
      DispatchQueue.concurrentPerform(iterations: elements.count) { index in
        places.initializeElement(at: index, to: body(elements[index]))
      }
      count = elements.count
    }
  }
}
