import GQLBase
import GQLCatalog
import GQLStore

/// What went wrong in groups of one aggregate: the first problem of each. It is raised only when the group's value is
/// read.
final class GroupFailures {
  /// A problem without its kind and range, which many share.
  private struct Entry: BitwiseCopyable {
    var group: UInt32
    /// An index into `causes`.
    var cause: UInt32
    /// The entity's type, or -1.
    var type: Int32
    var row: UInt32
    /// The operands, each its length and its bytes, in `texts`.
    var firstByte: UInt32
    var valueCount: UInt32
  }

  private struct Cause: Hashable {
    var kind: RuntimeProblem.Kind
    var range: SourceRange
  }

  /// Problems show their operands as long as those take no more than this together.
  private static let maximumTextBytes = 1 << 20

  private var entries = GroupMemory<Entry>()
  private var causes: [Cause] = []
  /// The place of each in `causes`: a function of the program may give another message for every row.
  private var numbers: [Cause: UInt32] = [:]
  private var causeBytes = 0
  private var texts = GroupMemory<UInt8>()
  /// The entry of each group plus one; as long as the highest group that failed.
  private var places = GroupMemory<UInt32>()

  init() {}

  var count: Int { entries.count }

  var byteCount: Int {
    count == 0 ? 0 : entries.byteCount + texts.byteCount + places.byteCount + causeBytes
  }

  func removeAll() {
    guard count > 0 else { return }
    entries.trim(to: 1 << 20)
    texts.trim(to: 1 << 20)
    places.trim(to: 1 << 20)
    causes = []
    numbers = [:]
    causeBytes = 0
  }

  func contains(_ group: Int) -> Bool { group < places.count && places.base[group] != 0 }

  func group(_ index: Int) -> Int { Int(entries.base[index].group) }

  /// Notes the group's first problem; later ones are of no interest.
  func insert(_ problem: RuntimeProblem, _ group: Int) {
    guard !contains(group) else { return }
    places.extend(to: group + 1, filling: 0)
    places.base[group] = UInt32(truncatingIfNeeded: entries.count + 1)
    var entry = Entry(
      group: UInt32(truncatingIfNeeded: group), cause: cause(of: problem), type: -1, row: 0,
      firstByte: UInt32(truncatingIfNeeded: texts.count), valueCount: 0)
    if let entity = problem.entity { (entry.type, entry.row) = (Int32(entity.type.index), entity.row) }
    let size = problem.values.reduce(0) { $0 + $1.count + 4 }
    if size <= GroupFailures.maximumTextBytes - texts.count {
      entry.valueCount = UInt32(truncatingIfNeeded: problem.values.count)
      for value in problem.values { append(value) }
    }
    entries.append(entry)
  }

  private func cause(of problem: RuntimeProblem) -> UInt32 {
    let cause = Cause(kind: problem.kind, range: problem.range)
    if let known = numbers[cause] { return known }
    let number = UInt32(truncatingIfNeeded: causes.count)
    causes.append(cause)
    numbers[cause] = number
    // In the list and in the dictionary, which share the message.
    causeBytes += 4 * MemoryLayout<Cause>.stride
    switch problem.kind {
    case .function(_, let message), .invalidPattern(let message, _): causeBytes += message.utf8.count
    default: break
    }
    return number
  }

  private func append(_ text: Text) {
    let length = UInt32(truncatingIfNeeded: text.count)
    for shift in [0, 8, 16, 24] as [UInt32] { texts.append(UInt8(truncatingIfNeeded: length >> shift)) }
    for byte in text.bytes { texts.append(byte) }
  }

  /// The problem of a group that has failed.
  func problem(_ group: Int) -> RuntimeProblem? {
    guard contains(group) else { return nil }
    let entry = entries.base[Int(places.base[group]) - 1]
    let cause = causes[Int(entry.cause)]
    var values: [Text] = []
    var next = Int(entry.firstByte)
    for _ in 0..<entry.valueCount {
      var length = 0
      for index in 0..<4 { length |= Int(texts.base[next + index]) << (8 * index) }
      values.append(Text(texts.base + next + 4, length))
      next += 4 + length
    }
    return RuntimeProblem(
      cause.kind, at: cause.range, entity: entry.type < 0 ? nil : (EntityTypeID(Int(entry.type)), entry.row),
      values: values)
  }
}
