import Synchronization

/// A reference that is set once, and read without a lock.
///
/// `AtomicLazyReference` is the same, but its load is not inlined: it takes longer than to read a cell.
struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of the object, which it holds; 0 for none.
  private let address = Atomic<UInt>(0)

  deinit { reference?.release() }

  /// The object without a reference of its own: it is there as long as what holds this one. Nil where none was set.
  var reference: Unmanaged<Object>? {
    @inline(__always) get {
      UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map { Unmanaged.fromOpaque($0) }
    }
  }

  /// Sets the object, if none was set.
  func storeIfNil(_ object: Object) {
    let reference = Unmanaged.passRetained(object)
    let word = UInt(bitPattern: reference.toOpaque())
    if !address.compareExchange(expected: 0, desired: word, ordering: .acquiringAndReleasing).exchanged {
      reference.release()
    }
  }
}
