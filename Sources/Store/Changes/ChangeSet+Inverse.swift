import GQLBase

extension ChangeSet {
  /// The changes that lead back. Applying a set and its inverse leaves a store with the content that it had.
  ///
  /// - Throws: where the set is not well-formed.
  package func inverse() throws(ChangeProblem) -> ChangeSet {
    let result = bytes.withUnsafeBytes { bytes -> Result<ChangeSet, ChangeProblem> in
      var inversion = ChangeInversion(bytes)
      do throws(ChangeProblem) {
        return .success(try inversion.run())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// Exchanges what was before and what is after in a set's bytes.
private struct ChangeInversion: ~Copyable {
  private let bytes: UnsafeRawBufferPointer
  private var reader: ChangeReader
  private var output: ByteBuffer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    reader = ChangeReader(bytes)
    output = ByteBuffer(capacity: bytes.count + 16)
  }

  mutating func run() throws(ChangeProblem) -> ChangeSet {
    while !reader.isAtEnd {
      let start = reader.offset
      guard try reader.next() != nil else { throw reader.malformed }
      let type = start..<reader.offset
      var isWritten = false
      var distance: UInt64 = 0
      while true {
        let step = try reader.varint()
        if step == 0 { break }
        let (sum, overflows) = distance.addingReportingOverflow(step)
        if overflows { throw reader.malformed }
        distance = sum
        let marks = try reader.marks()
        // Of a row of which only the past was erased nothing comes back.
        if marks.isOfPast { continue }
        if !isWritten { copy(type) }
        isWritten = true
        output.append(varint: distance)
        distance = 0
        try invertRow(marks)
      }
      if isWritten { output.append(varint: 0) }
    }
    return ChangeSet(bytes: output.withUnsafeBytes { ContiguousArray($0) })
  }

  /// Copies what was read since an offset.
  private mutating func copy(from start: Int) { copy(start..<reader.offset) }

  private mutating func copy(_ range: Range<Int>) {
    output.append(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// Copies two parts that follow each other, the later one first.
  private mutating func exchange(_ start: Int, _ middle: Int) {
    copy(middle..<reader.offset)
    copy(start..<middle)
  }

  private mutating func invertRow(_ marks: RowChangeMarks) throws(ChangeProblem) {
    let inverse = marks.inverse
    output.append(UInt8(truncatingIfNeeded: inverse))
    output.append(UInt8(truncatingIfNeeded: inverse >> 8))
    if marks.has(RowChangeMarks.fields) { try invertFields() }
    if marks.has(RowChangeMarks.lists) { try invertLists() }
    if marks.has(RowChangeMarks.record) { try invertWords() }
    if marks.has(RowChangeMarks.suspended) {
      try forEachPart { (part) throws(ChangeProblem) in try part.invertWords() }
    }
    if marks.has(RowChangeMarks.waiting) { try invertWaiting() }
  }

  /// Copies the numbers of parts, and the zero that ends them.
  private mutating func forEachPart(
    _ body: (inout ChangeInversion) throws(ChangeProblem) -> Void
  ) throws(ChangeProblem) {
    while true {
      let start = reader.offset
      let number = try reader.next()
      copy(from: start)
      if number == nil { return }
      try body(&self)
    }
  }

  private mutating func invertFields() throws(ChangeProblem) {
    try forEachPart { (part) throws(ChangeProblem) in
      let form = try part.reader.form()
      var byte = UInt8(form.kind.rawValue << 4)
      byte |= (form.hasAfter ? 1 : 0) | (form.hasBefore ? 2 : 0)
      byte |= (form.afterIsFine ? 4 : 0) | (form.beforeIsFine ? 8 : 0)
      part.output.append(byte)
      let start = part.reader.offset
      if form.hasBefore { try part.reader.skip(form.kind, isFine: form.beforeIsFine) }
      let middle = part.reader.offset
      if form.hasAfter { try part.reader.skip(form.kind, isFine: form.afterIsFine) }
      part.exchange(start, middle)
    }
  }

  private mutating func invertLists() throws(ChangeProblem) {
    try forEachPart { (part) throws(ChangeProblem) in
      let list = try part.reader.list()
      part.output.append(varint: UInt64(list.kept))
      part.output.append(varint: UInt64(list.putIn))
      part.output.append(varint: UInt64(list.takenOut))
      let start = part.reader.offset
      for _ in 0..<list.takenOut { _ = try part.reader.varint() }
      let middle = part.reader.offset
      for _ in 0..<list.putIn { _ = try part.reader.varint() }
      part.exchange(start, middle)
    }
  }

  private mutating func invertWords() throws(ChangeProblem) {
    let start = reader.offset
    try skipNumbers()
    let middle = reader.offset
    try skipNumbers()
    exchange(start, middle)
  }

  private mutating func skipNumbers() throws(ChangeProblem) {
    for _ in 0..<(try reader.count()) { _ = try reader.varint() }
  }

  private mutating func invertWaiting() throws(ChangeProblem) {
    while true {
      let start = reader.offset
      guard let place = try reader.next() else { return copy(from: start) }
      output.append(waiting: try reader.waiting(place: place).inverse)
    }
  }
}
