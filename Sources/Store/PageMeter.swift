#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A count of the bytes of pages that one thread takes and gives back, while a transaction with limits writes.
///
/// Every page, node and directory comes from ``PagePool``, which looks at the thread's meter: pages are made in many
/// places, and none of them knows the transaction.
final class PageMeter {
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  /// The meter that counted before.
  private var outer: UnsafeMutableRawPointer?

  init() { count.initialize(to: 0) }

  deinit { count.deallocate() }

  /// Bytes that were taken, less those that were given back, while the meter counted.
  var bytes: Int { count.pointee }

  /// Counts what the current thread takes from now on, until ``end()`` on the same thread.
  func begin() {
    guard let key = Self.key else { return }
    outer = pthread_getspecific(key)
    _ = pthread_setspecific(key, count)
  }

  func end() {
    guard let key = Self.key else { return }
    _ = pthread_setspecific(key, outer)
    outer = nil
  }

  /// Counts bytes for the current thread; negative where they are given back.
  @inline(__always)
  static func add(_ bytes: Int) {
    guard let key, let count = pthread_getspecific(key) else { return }
    // The memory is alive, because a meter is the thread's only between its `begin()` and its `end()`.
    count.assumingMemoryBound(to: Int.self).pointee &+= bytes
  }
}
