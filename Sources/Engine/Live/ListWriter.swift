/// A writer of a list that differs in few elements from another one.
struct ListWriter: ~Copyable {
  private let lengths: ContiguousArray<UInt32>
  private let head: Int
  private let answer: [UInt8]
  private var bytes: [UInt8] = []
  private var newLengths: ContiguousArray<UInt32> = []
  /// The next element of the other list, and where it begins.
  private var place = 0
  private var offset: Int

  init(lengths: ContiguousArray<UInt32>, head: Int, answer: [UInt8]) {
    self.lengths = lengths
    self.head = head
    self.answer = answer
    offset = head
    bytes.reserveCapacity(answer.count + 256)
    newLengths.reserveCapacity(lengths.count + 16)
    bytes += answer[..<head]
  }

  /// Takes elements of the other list up to a place.
  mutating func keep(through end: Int) {
    if end <= place { return }
    var next = offset
    lengths.withUnsafeBufferPointer { for number in place..<end { next += Int($0[number]) + 1 } }
    separate()
    bytes += answer[offset..<next - 1]
    newLengths.append(contentsOf: lengths[place..<end])
    (place, offset) = (end, next)
  }

  /// Passes an element of the other list over.
  mutating func skip() {
    offset += Int(lengths[place]) + 1
    place += 1
  }

  mutating func append(_ element: ArraySlice<UInt8>) {
    separate()
    bytes += element
    newLengths.append(UInt32(truncatingIfNeeded: element.count))
  }

  private mutating func separate() { if bytes.count > head { bytes.append(0x2C) } }

  consuming func finish() -> (bytes: [UInt8], lengths: ContiguousArray<UInt32>) {
    var bytes = bytes
    bytes += [0x5D, 0x7D]
    return (bytes, newLengths)
  }
}
