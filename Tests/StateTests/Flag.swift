import Observation
import Synchronization

/// A place that notes whether what was observed has changed.
final class Flag: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }

  func observe(_ body: () -> Void) {
    withObservationTracking(body) { self.state.store(true, ordering: .sequentiallyConsistent) }
  }
}
