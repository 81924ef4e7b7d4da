#if DEBUG
  import Synchronization

  /// A watch on the changes of every transaction of the process, for tests that hold them against the versions.
  package enum ChangeObservation {
    package typealias Observer = @Sendable (_ old: Snapshot, _ changes: ChangeSet, _ new: Snapshot) -> Void

    private static let observer = Mutex<Observer?>(nil)

    /// Calls with each version that is made from now on; nil ends it.
    package static func observe(_ body: Observer?) { observer.withLock { $0 = body } }

    static var current: Observer? { observer.withLock { $0 } }
  }
#endif
