/// A moment of the past that is asked for.
enum PastMoment: Hashable, Sendable {
  case version(Int64)
  /// Microseconds since 1970: the newest version that was committed then.
  case time(Int64)

  /// Returns whether the moment is not before the start of a past.
  func isWithin(_ start: HistoryStart) -> Bool {
    switch self {
    case .version(let number): number >= start.version
    case .time(let instant): instant >= start.time
    }
  }

  /// Returns whether it is an earlier one. Of a version and a time nothing is known.
  func isBefore(_ other: PastMoment) -> Bool {
    switch (self, other) {
    case (.version(let left), .version(let right)), (.time(let left), .time(let right)): left < right
    case (.version, .time), (.time, .version): false
    }
  }
}
