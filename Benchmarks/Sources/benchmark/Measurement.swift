/// Times in nanoseconds of several rounds.
struct Measurement {
  private(set) var rounds: [Double] = []

  /// Adds the mean time of a run in one round.
  mutating func add(_ nanoseconds: Double) { rounds.append(nanoseconds) }

  var minimum: Double { rounds.min() ?? .nan }

  var median: Double {
    let sorted = rounds.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Runs of one engine for one query, in batches long enough for the clock.
struct Contestant {
  /// Runs the query with the variable set of this number, and returns the size of the answer.
  let run: (Int) throws -> Int
  private(set) var measurement = Measurement()
  private(set) var bytes = 0
  private var next = 0
  private var batch = 1
  let sets: Int

  init(sets: Int, run: @escaping (Int) throws -> Int) {
    self.sets = sets
    self.run = run
  }

  /// Warms up, and finds how many runs take some ten milliseconds.
  mutating func calibrate() throws {
    let clock = ContinuousClock()
    while true {
      let elapsed = try clock.measure { try runBatch() }
      if elapsed >= .milliseconds(5) || batch >= 1 << 20 {
        let perRun = max(1, elapsed.nanoseconds / Double(batch))
        batch = max(1, Int(10_000_000 / perRun))
        return
      }
      batch *= 4
    }
  }

  /// One timed batch; returns its duration in seconds.
  mutating func round() throws -> Double {
    let elapsed = try ContinuousClock().measure { try runBatch() }
    measurement.add(elapsed.nanoseconds / Double(batch))
    return elapsed.nanoseconds / 1e9
  }

  private mutating func runBatch() throws {
    for _ in 0..<batch {
      bytes = try run(next)
      next = next + 1 == sets ? 0 : next + 1
    }
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
