/// Lines of a CSV file that are read together: their fields, line after line.
final class CSVLines {
  /// Counts the fields of each line.
  let width: Int
  private(set) var count = 0
  /// Marks where the lines begin and end in the file.
  private(set) var range = 0..<0
  private let capacity: Int
  private let starts: UnsafeMutablePointer<Int>
  private let fields: UnsafeMutablePointer<CSVReader.Field>

  /// Bytes after which no further line is read.
  private static let mostBytes = 1 << 18

  init(width: Int, capacity: Int) {
    self.width = width
    self.capacity = capacity
    fields = .allocate(capacity: max(1, width * capacity))
    starts = .allocate(capacity: capacity)
  }

  deinit {
    fields.deallocate()
    starts.deallocate()
  }

  /// Reads lines until there are enough, and goes past blank ones. Stops before a line that has another number of
  /// fields or cannot be read: then the result is false.
  func read(_ csv: inout CSVReader) -> Bool {
    count = 0
    let start = csv.position
    defer { range = start..<csv.position }
    while count < capacity, csv.position &- start < Self.mostBytes, !csv.isAtEnd {
      let line = csv.position
      let place = fields + count &* width
      var found = 0
      do throws(RecordFailure) {
        try csv.nextLine { [width] field in
          if found < width { place[found] = field }
          found &+= 1
        }
      } catch {
        csv.position = line
        return false
      }
      if found == 0 { continue }
      guard found == width else {
        csv.position = line
        return false
      }
      starts[count] = line
      count &+= 1
    }
    return true
  }

  @inline(__always)
  func field(_ line: Int, _ column: Int) -> CSVReader.Field { fields[line &* width &+ column] }

  /// Returns where what follows a line begins in the file.
  func end(of line: Int) -> Int { line + 1 < count ? starts[line + 1] : range.upperBound }

  func line(_ line: Int) -> UnsafeBufferPointer<CSVReader.Field> {
    UnsafeBufferPointer(start: fields + line * width, count: width)
  }
}
