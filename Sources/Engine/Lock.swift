import GQLBase
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A mutual exclusion over one value.
///
/// A POSIX mutex rather than `Synchronization.Mutex`: Thread Sanitizer on Linux understands it.
final class Lock<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Threads that wait for it.
  private let waiting = Atomic<Int>(0)
  // Unchecked because the mutex excludes all others.
  @exclusivity(unchecked) private var state: State

  init(_ state: sending State) {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    self.state = state
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 { wait() }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Calls `body` unless somebody has the lock. Returns nil then.
  @discardableResult
  func withLockIfFree<Result>(_ body: (inout State) -> Result) -> Result? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Calls as ``withLock(_:)`` does, without sleeping at first: for who others make way for, see ``letOthersPass()``. They
  /// wait until it goes on, and waking would take longer than what they do.
  func withLockSoon<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 {
      waiting.add(1, ordering: .relaxed)
      let end = MonotonicClock.now + 20_000
      var isLocked = false
      while !isLocked, MonotonicClock.now < end { isLocked = pthread_mutex_trylock(mutex) == 0 }
      if !isLocked { pthread_mutex_lock(mutex) }
      waiting.subtract(1, ordering: .relaxed)
    }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  @inline(never)
  private func wait() {
    waiting.add(1, ordering: .relaxed)
    pthread_mutex_lock(mutex)
    waiting.subtract(1, ordering: .relaxed)
  }

  /// Lets those go first who wait now, because who takes a lock again and again can keep others from it: for who waits,
  /// waking takes longer than the time in which it is free. Gives up after some two hundred microseconds, because others
  /// may always come.
  func letOthersPass() {
    if waiting.load(ordering: .relaxed) == 0 { return }
    let end = MonotonicClock.now + 200_000
    while waiting.load(ordering: .relaxed) > 0, MonotonicClock.now < end { sched_yield() }
  }
}
