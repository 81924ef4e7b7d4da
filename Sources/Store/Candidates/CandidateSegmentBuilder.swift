/// Makes segments of the keys of cells, in ascending order of their rows.
struct CandidateSegmentBuilder: ~Copyable {
  /// Key and number of the term behind it plus one, by hash; 0 where free.
  private var slots: UnsafeMutablePointer<UInt64>
  private var shift: UInt64
  private var slotCount: Int
  /// By number of term: its key, how many cells have it, the last of them.
  private var keys: ContiguousArray<UInt32> = []
  private var counts: ContiguousArray<UInt32> = []
  private var last: ContiguousArray<UInt32> = []
  private var rows: [UInt32] = []
  /// The terms of all cells, and where those of each end.
  private var stream: UnsafeMutablePointer<UInt32>
  private var streamCount = 0
  private var streamCapacity = 1 << 12
  private var ends: ContiguousArray<Int> = []
  /// Keys on their way into a segment: room for ``partSize`` of them.
  let found: UnsafeMutablePointer<UInt32>
  /// Scratch memory for making keys.
  var bytes: [UInt8] = []
  private var finished: [CandidateSegment] = []

  /// So many keys are entered at once, at most.
  static let partSize = 1 << 14

  init() {
    slotCount = 1 << 12
    shift = 64 - 12
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    stream = .allocate(capacity: streamCapacity)
    found = .allocate(capacity: Self.partSize)
  }

  deinit {
    slots.deallocate()
    stream.deallocate()
    found.deallocate()
  }

  /// Begins the cell of the next row, whose keys are entered until ``end()``.
  mutating func begin(_ row: UInt32) {
    if rows.count >= CandidateSegment.maximumRows || streamCount >= CandidateSegment.maximumPostings {
      close(isFull: true)
    }
    rows.append(row)
  }

  /// Ends the cell of a row.
  mutating func end() { ends.append(streamCount) }

  /// Enters the first keys of ``found``, repeats included, for the row that was begun.
  mutating func enter(_ count: Int) {
    let place = UInt32(truncatingIfNeeded: rows.count &- 1)
    if streamCapacity - streamCount < count {
      let larger = max(streamCapacity * 2, streamCount + count)
      let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
      grown.update(from: stream, count: streamCount)
      stream.deallocate()
      stream = grown
      streamCapacity = larger
    }
    for index in 0..<count {
      let key = found[index]
      var slot = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
      while true {
        let entry = slots[slot]
        if entry == 0 {
          add(key, at: slot, place)
          break
        }
        if UInt32(truncatingIfNeeded: entry >> 32) == key {
          let term = Int(UInt32(truncatingIfNeeded: entry) &- 1)
          if last[term] != place {
            last[term] = place
            counts[term] &+= 1
            stream[streamCount] = UInt32(truncatingIfNeeded: term)
            streamCount &+= 1
          }
          break
        }
        slot = (slot &+ 1) & (slotCount &- 1)
      }
    }
  }

  private mutating func add(_ key: UInt32, at slot: Int, _ place: UInt32) {
    let term = UInt32(truncatingIfNeeded: keys.count)
    slots[slot] = UInt64(key) << 32 | UInt64(term &+ 1)
    keys.append(key)
    counts.append(1)
    last.append(place)
    stream[streamCount] = term
    streamCount += 1
    if keys.count * 2 > slotCount { growSlots() }
  }

  private mutating func growSlots() {
    slots.deallocate()
    slotCount *= 2
    shift -= 1
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    for (term, key) in keys.enumerated() {
      var slot = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
      while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
      slots[slot] = UInt64(key) << 32 | UInt64(term + 1)
    }
  }

  private mutating func close(isFull: Bool) {
    guard !rows.isEmpty else { return }
    let bitUnits = CandidateSegment.bitUnits(rows.count)
    let ordered = keys.indices.map { UInt64(keys[$0]) << 32 | UInt64($0) }.sorted()
    // By term: where its next posting goes, or the first of its bits, which the highest bit tells.
    var cursors = ContiguousArray<UInt64>(repeating: 0, count: keys.count)
    var size = 0
    for entry in ordered {
      let term = Int(entry & 0xFFFF_FFFF)
      if Int(counts[term]) > bitUnits {
        size = (size + 3) & ~3
        cursors[term] = UInt64(size) | 1 << 63
        size += bitUnits
      } else {
        cursors[term] = UInt64(size)
        size += Int(counts[term])
      }
    }
    let segment = CandidateSegment(rows: rows, isFull: isFull, keyCount: keys.count, dataCount: size)
    for (index, entry) in ordered.enumerated() {
      let term = Int(entry & 0xFFFF_FFFF)
      segment.keys[index] = keys[term]
      segment.counts[index] = counts[term]
      segment.starts[index] = UInt32(truncatingIfNeeded: cursors[term] & ~(1 << 63))
    }
    let data = segment.data
    cursors.withUnsafeMutableBufferPointer { cursors in
      var index = 0
      for place in 0..<ends.count {
        let end = ends[place]
        while index < end {
          let term = Int(stream[index])
          let cursor = cursors[term]
          if cursor >> 63 == 0 {
            data[Int(cursor)] = UInt16(truncatingIfNeeded: place)
            cursors[term] = cursor &+ 1
          } else {
            data[Int(cursor & ~(1 << 63)) &+ place >> 4] |= 1 << UInt16(truncatingIfNeeded: place & 15)
          }
          index &+= 1
        }
      }
    }
    finished.append(segment)
    slots.update(repeating: 0, count: slotCount)
    keys.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    last.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    streamCount = 0
  }

  consuming func segments() -> [CandidateSegment] {
    close(isFull: rows.count >= CandidateSegment.maximumRows || streamCount >= CandidateSegment.maximumPostings)
    return finished
  }
}
