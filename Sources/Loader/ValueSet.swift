/// A set of values by their hashes, with open addressing. The hash 0 is that of empty places.
///
/// Integers that come in ascending order, as ids do, are kept as runs until another value comes.
struct ValueSet {
  /// Integers without a gap.
  private struct Run {
    var first: Int64
    var last: Int64
    /// Counts the integers, which have at most 18 digits.
    var count: Int { Int(last - first) + 1 }
  }

  /// In ascending order; none where the values are hashed.
  private var runs: ContiguousArray<Run> = []
  /// Holds the run that is being read, behind all others.
  private var last: Run?
  private var places: [UInt64] = []
  private var isHashed = false
  private(set) var count = 0
  /// Indicates whether a value came twice.
  private(set) var hasRepeats = false
  /// Indicates whether there were more values than are kept.
  private(set) var isOverfull = false
  private static let mostValues = 1 << 24
  /// More runs than this take more memory than hashes.
  private static let mostRuns = 1 << 20

  /// Adds a value as it is written: a text that is an integer is that integer.
  mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
    if let integer = Self.integer(bytes) { return insert(integer) }
    beHashed()
    insert(hash: Self.hash(bytes))
  }

  @inline(__always)
  mutating func insert(_ integer: Int64) {
    if !isHashed, let run = last, integer >= run.last {
      if integer == run.last {
        hasRepeats = true
        return
      }
      count += 1
      if integer == run.last + 1 {
        last = Run(first: run.first, last: integer)
      } else {
        begin(integer, after: run)
      }
      return
    }
    insertOther(integer)
  }

  private mutating func begin(_ integer: Int64, after run: Run) {
    runs.append(run)
    last = Run(first: integer, last: integer)
    if runs.count > Self.mostRuns { beHashed() }
  }

  private mutating func insertOther(_ integer: Int64) {
    if !isHashed, last == nil {
      last = Run(first: integer, last: integer)
      count = 1
      return
    }
    beHashed()
    insert(hash: Self.hash(integer))
  }

  /// Returns the integer of up to 18 digits that bytes are, if it is written so: `-0`, `007` and `+1` are texts.
  private static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard let first = bytes.first else { return nil }
    let start = first == 0x2D ? 1 : 0
    let digits = bytes.count - start
    guard digits > 0, digits <= 18, bytes[start] != 0x30 || bytes.count == 1 else { return nil }
    var value: Int64 = 0
    for index in start..<bytes.count {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return start == 1 ? 0 &- value : value
  }

  // MARK: - Hashes

  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return UInt64(bitPattern: Int64(hasher.finalize())) | 1
  }

  private static func hash(_ integer: Int64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(integer)
    return UInt64(bitPattern: Int64(hasher.finalize())) | 1
  }

  private func forEachRun(_ body: (Run) -> Void) {
    for run in runs { body(run) }
    if let last { body(last) }
  }

  private func forEachHash(_ body: (UInt64) -> Void) {
    for hash in places where hash != 0 { body(hash) }
    forEachRun { run in for integer in run.first...run.last { body(Self.hash(integer)) } }
  }

  /// Puts integers that were kept as runs among the hashes.
  private mutating func beHashed() {
    if isHashed { return }
    isHashed = true
    guard last != nil else { return }
    let values = self
    (runs, last, count) = ([], nil, 0)
    var size = 16
    while size * 3 < min(values.count, Self.mostValues) * 4 { size *= 2 }
    places = Array(repeating: 0, count: size)
    values.forEachHash { insert(hash: $0) }
  }

  /// Returns the set as one of hashes, which can be asked for values.
  var hashed: ValueSet {
    var set = self
    set.beHashed()
    return set
  }

  private mutating func insert(hash: UInt64) {
    if (count + 1) * 4 > places.count * 3 {
      guard count < Self.mostValues else {
        isOverfull = true
        return
      }
      grow()
    }
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash >> 1) & mask
    while places[place] != 0 {
      if places[place] == hash {
        hasRepeats = true
        return
      }
      place = (place + 1) & mask
    }
    places[place] = hash
    count += 1
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: 0, count: max(16, old.count * 2))
    let mask = places.count - 1
    for hash in old where hash != 0 {
      var place = Int(truncatingIfNeeded: hash >> 1) & mask
      while places[place] != 0 { place = (place + 1) & mask }
      places[place] = hash
    }
  }

  private func contains(_ hash: UInt64) -> Bool {
    guard !places.isEmpty else { return false }
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: hash >> 1) & mask
    while places[place] != 0 {
      if places[place] == hash { return true }
      place = (place + 1) & mask
    }
    return false
  }

  // MARK: - Several sets

  /// Adds the values of another set, as if they came after those of this one.
  mutating func formUnion(_ other: ValueSet) {
    hasRepeats = hasRepeats || other.hasRepeats
    isOverfull = isOverfull || other.isOverfull
    if other.count == 0 { return }
    if count == 0 {
      (runs, last, places, isHashed, count) = (other.runs, other.last, other.places, other.isHashed, other.count)
    } else if !isHashed, !other.isHashed, let run = last, let next = other.runs.first ?? other.last,
      run.last <= next.first
    {
      other.forEachRun { append($0) }
    } else {
      beHashed()
      other.forEachHash { insert(hash: $0) }
    }
  }

  private mutating func append(_ run: Run) {
    insert(run.first)
    guard run.first < run.last else { return }
    guard !isHashed, let own = last else {
      for integer in run.first + 1...run.last { insert(integer) }
      return
    }
    // Its first integer ends the last run now.
    last = Run(first: own.first, last: run.last)
    count += run.count - 1
  }

  /// Returns how many of the values another set has, which is ``hashed``.
  func countShared(with other: ValueSet) -> Int {
    var shared = 0
    forEachHash { if other.contains($0) { shared += 1 } }
    return shared
  }

  /// Returns how many of the values lie in a table of hashes, by what they lead to.
  func countShared(with owners: [UInt64: Int]) -> [Int: Int] {
    var result: [Int: Int] = [:]
    forEachHash { hash in if let owner = owners[hash] { result[owner, default: 0] += 1 } }
    return result
  }

  /// Adds the values to a table of hashes, as leading to one owner.
  func add(to owners: inout [UInt64: Int], as owner: Int) {
    forEachHash { hash in if owners[hash] == nil { owners[hash] = owner } }
  }
}
