import Synchronization

/// Up to two objects between uses; the first two threads find one each, without a lock.
///
/// A place holds a retained address or 0, and is only ever exchanged: whoever takes an address out of it has the
/// object's one owner, so no two threads get the same object.
@usableFromInline package struct IdlePair<Object: AnyObject>: ~Copyable {
  @usableFromInline let first = Atomic<UInt>(0)
  @usableFromInline let second = Atomic<UInt>(0)

  @inlinable package init() {}

  deinit {
    while take() != nil {}
  }

  /// One of the objects, which is then the caller's.
  @inlinable @inline(__always)
  package func take() -> Object? {
    var address = first.exchange(0, ordering: .acquiring)
    if address == 0 { address = second.exchange(0, ordering: .acquiring) }
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Indicates whether both places are taken, as far as nobody takes or puts at the same time.
  @inlinable package var isFull: Bool { first.load(ordering: .relaxed) != 0 && second.load(ordering: .relaxed) != 0 }

  /// False where both places are taken: the object is let go then.
  @inlinable @inline(__always)
  package func put(_ object: Object) -> Bool {
    let address = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    if first.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return true }
    if second.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return true }
    Unmanaged.passUnretained(object).release()
    return false
  }
}

extension IdlePair: Sendable where Object: Sendable {}
