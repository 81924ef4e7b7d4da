import GQLBase
import GQLCatalog
import GQLStore

/// Depth-first over finished levels. Every key is written with a comma before it, every list element with one behind
/// it; the first, and the last, is then overwritten by the bracket.
extension ResponseWriter {
  /// Writes the answer's object.
  func writeRoot(_ executable: Executable, into output: inout ByteBuffer) throws(RuntimeProblem) {
    let start = output.count
    let root = executable.root
    var rootVectors: [UnsafePointer<Vector>?] = []
    for index in 0..<root.operationCount {
      let operation = root.operations[index]
      if operation.condition >= 0, !conditions[Int(operation.condition)] { continue }
      output.append(operation.prefix, Int(operation.prefixCount))
      switch operation.kind {
      case .fixed: break
      case .computed:
        let group = Int(operation.group)
        while rootVectors.count < root.groups.count { rootVectors.append(nil) }
        let vectors: UnsafePointer<Vector>
        if let known = rootVectors[group] {
          vectors = known
        } else {
          vectors = try root.groups[group].program.evaluate(.root, execution)
          rootVectors[group] = vectors
        }
        write(vectors[Int(operation.vector)], 0, operation, root, executable, into: &output)
      case .one, .many:
        try writeRootSelection(Int(operation.index), isMany: operation.kind == .many, executable, into: &output)
      case .introspection:
        try writeIntrospection(executable.introspections[Int(operation.index)], into: &output)
      default: output.append("null")
      }
    }
    close(start, into: &output)
  }

  private func writeRootSelection(
    _ index: Int, isMany: Bool, _ executable: Executable, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    // Both live as long as the executable and this writer.
    try Unmanaged.passUnretained(executable.selections[index]).borrow { (selection) throws(RuntimeProblem) in
      try Unmanaged.passUnretained(levels[index]).borrow { (level) throws(RuntimeProblem) in
        try writeRootSelection(index, selection, level, isMany: isMany, executable, into: &output)
      }
    }
  }

  private func writeRootSelection(
    _ index: Int, _ selection: CompiledSelection, _ level: LevelState, isMany: Bool, _ executable: Executable,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    // The levels are written once this returns.
    defer { execution.expanded = ExpandedLevels() }
    if let point = selection.point, execution.actuals == nil, let row = point.find(execution) {
      trace?.note(index, row)
      return try write(row, selection, level, executable, into: &output)
    }
    if let grouping = selection.grouping {
      try expandGroups(selection, grouping, level, above: nil, 0..<1, executable)
    } else {
      level.members.removeAll()
      level.members.offsets.append(0)
      level.parentBase = 0
      let set = executable.sets[selection.set]
      if selection.showsDepths { forgetDepths(set) }
      try set.append(.root, execution, into: &level.members)
      trace?.note(index, level.members.rows)
      if selection.showsDepths { takeDepths(set, level) }
      try begin(selection, level, above: nil)
    }
    let total = level.members.rows.count
    guard isMany else {
      guard total > 0 else { return output.append("null") }
      if !selection.children.isEmpty {
        try expandLevels(below: selection, level, 0..<1, executable, written: output.count - outputStart)
      }
      return try writeMember(selection, level, 0, executable, into: &output)
    }
    output.append(0x5B)
    guard total > 0 else { return output.append(0x5D) }
    var start = 0
    while start < total {
      try execution.checkpoint()
      let end = min(start + ScopeRows.batchRows, total)
      if !selection.children.isEmpty {
        try expandLevels(below: selection, level, start..<end, executable, written: output.count - outputStart)
      }
      try writeMembers(selection, level, start, end, executable, into: &output)
      try checkBytes(output.count)
      start = end
    }
    output.overwriteLast(0x5D)
  }

  /// Writes the only member of a ``PointLookup``.
  @inline(__always)
  private func write(
    _ row: UInt32, _ selection: CompiledSelection, _ level: LevelState, _ executable: Executable,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    guard row != PageLayout.noRow else { return output.append("null") }
    try execution.visit(1)
    try countNodes(1)
    let start = output.count
    try writeFields(selection, level, 0, row, 0, selection.operationCount, executable, into: &output)
    close(start, into: &output)
  }

  /// Ends an object that began at `start`, where its first comma stands.
  @inline(__always)
  func close(_ start: Int, into output: inout ByteBuffer) {
    if output.count == start {
      output.append("{}")
    } else {
      output.overwrite(start, 0x7B)
      output.append(0x7D)
    }
  }

  /// Writes members with a comma behind each.
  private func writeMembers(
    _ selection: CompiledSelection, _ level: LevelState, _ start: Int, _ end: Int, _ executable: Executable,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    for position in start..<end {
      try writeMember(selection, level, position, executable, into: &output)
      output.append(0x2C)
      if position & 1023 == 1023 || output.count >= lookAtOutput {
        try execution.checkpoint()
        try checkBytes(output.count)
      }
    }
  }

  private static let warmRows = 32

  /// Touches the cells of the next rows, if they lie far apart, in a loop of nothing but loads, so that their cache
  /// misses overlap; then their long texts. The rows may be those of several parents, which are written one behind
  /// the other.
  @inline(never)
  func warm(_ selection: CompiledSelection, _ level: LevelState, _ start: Int) {
    let end = min(start &+ Self.warmRows, level.members.rows.count)
    level.warmEnd = end
    let rows = level.members.rows.base
    let low = rows[start]
    let high = rows[end &- 1]
    let span = high > low ? high &- low : low &- high
    if span < UInt32(truncatingIfNeeded: (end &- start) &* 4) { return }
    var touched: UInt64 = 0
    for column in selection.warmReaders {
      let reader = readers[column.reader]
      for position in start..<end {
        touched |= UInt64(reader.cell(rows[position], width: column.width).load(as: UInt8.self))
      }
    }
    for column in selection.warmReaders where column.isText {
      let reader = readers[column.reader]
      for position in start..<end {
        let address = reader.cell(rows[position], width: 16)
        let count = Int(address.load(as: UInt64.self) & 0x3FFF_FFFF)
        if count > 12, let bytes = UnsafeRawPointer(bitPattern: UInt((address + 8).load(as: UInt64.self))) {
          touched |= UInt64(bytes.load(as: UInt8.self) | (bytes + (count &- 1)).load(as: UInt8.self))
        }
      }
    }
    warmed = touched
  }

  @inline(__always)
  private func writeMember(
    _ selection: CompiledSelection, _ level: LevelState, _ position: Int, _ executable: Executable,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    if position >= level.warmEnd { warm(selection, level, position) }
    let row = level.members.rows[position]
    let start = output.count
    try writeFields(selection, level, position, row, 0, selection.operationCount, executable, into: &output)
    if selection.isObject { close(start, into: &output) }
  }

  /// Writes the operations `first ..< end` of one member.
  func writeFields(
    _ selection: CompiledSelection, _ level: LevelState, _ position: Int, _ row: UInt32, _ first: Int, _ end: Int,
    _ executable: Executable, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let operations = selection.operations
    let readers = self.readers
    var index = first
    while index < end {
      let operation = operations + index
      index &+= 1
      if operation.pointee.condition >= 0, !conditions[Int(operation.pointee.condition)] {
        if operation.pointee.end > 0 { index = Int(operation.pointee.end) }
        continue
      }
      let fieldStart = output.count
      let prefixCount = Int(operation.pointee.prefixCount)
      output.reserve(prefixCount &+ 48)
      output.appendPrefix(operation.pointee.prefix, prefixCount)
      switch operation.pointee.kind {
      case .fixed: break
      case .introspection: output.append("null")
      case .int:
        let reader = readers[Int(operation.pointee.reader)]
        let value = reader.int64(row)
        if value == 0, reader.isNull(row) { output.appendNull() } else { output.append(int: value) }
      case .text:
        let reader = readers[Int(operation.pointee.reader)]
        let address = reader.cell(row, width: 16)
        let word = address.load(as: UInt64.self)
        if word == 0, reader.isNull(row) {
          // The opening quote is part of the prefix.
          output.overwriteLast(0x6E)
          output.appendReserved(0x75)
          output.appendReserved(0x6C)
          output.appendReserved(0x6C)
        } else {
          output.appendText(address, word)
        }
      case .id:
        let reader = readers[Int(operation.pointee.reader)]
        let address = reader.cell(row, width: 16)
        let word = address.load(as: UInt64.self)
        if word == 0, reader.isNull(row) {
          output.appendNull()
        } else if word & TextView.numberFlag != 0 {
          let bytes = TextView.bytes(at: address)
          output.append(bytes.start, bytes.count)
        } else {
          output.appendReserved(0x22)
          output.appendText(address, word)
        }
      case .boolean:
        let reader = readers[Int(operation.pointee.reader)]
        if reader.byte(row) != 0 {
          output.append("true")
        } else if reader.isNull(row) {
          output.appendNull()
        } else {
          output.append("false")
        }
      case .code:
        let reader = readers[Int(operation.pointee.reader)]
        let code = Int(reader.code(row))
        if code == 0, reader.isNull(row) {
          output.appendNull()
        } else {
          appendName(code, executable.enums[Int(operation.pointee.index)], into: &output)
        }
      case .float:
        let reader = readers[Int(operation.pointee.reader)]
        let value = reader.float64(row)
        if value == 0, reader.isNull(row) { output.appendNull() } else { output.append(double: value) }
      case .dateTime:
        let reader = readers[Int(operation.pointee.reader)]
        let value = reader.int64(row)
        if value == 0, reader.isNull(row) { output.appendNull() } else { output.append(dateTime: value) }
      case .date:
        let reader = readers[Int(operation.pointee.reader)]
        let value = reader.int64(row)
        if value == 0, reader.isNull(row) { output.appendNull() } else { output.append(date: value) }
      case .cell:
        let reader = readers[Int(operation.pointee.reader)]
        if reader.isNull(row) {
          output.appendNull()
        } else {
          let type = selection.types[Int(operation.pointee.index)]
          GQLExecutor.write(reader.cell(row, kind: ColumnKind(type)), type: type, catalog: catalog, into: &output)
        }
      case .computed:
        let batch = try vectors(selection, level, Int(operation.pointee.group), position)
        write(
          batch.vectors[Int(operation.pointee.vector)], batch.position, operation.pointee, selection, executable,
          into: &output)
      case .embedded:
        let reader = readers[Int(operation.pointee.reader)]
        let inner = Int(operation.pointee.end)
        if reader.byte(row) == 0 {
          output.appendNull()
        } else {
          let start = output.count
          try writeFields(selection, level, position, row, index, inner, executable, into: &output)
          close(start, into: &output)
        }
        index = inner
      case .embeddedComputed:
        let batch = try vectors(selection, level, Int(operation.pointee.group), position)
        let inner = Int(operation.pointee.end)
        if batch.vectors[Int(operation.pointee.vector)].cell(batch.position).low == 0 {
          output.appendNull()
        } else {
          let start = output.count
          try writeFields(selection, level, position, row, index, inner, executable, into: &output)
          close(start, into: &output)
        }
        index = inner
      case .inlined:
        let batch = try vectors(selection, level, Int(operation.pointee.group), position)
        let inner = Int(operation.pointee.end)
        let truth = batch.vectors[Int(operation.pointee.vector)]
        if truth.truths[truth.isConstant ? 0 : batch.position] == 2 {
          try writeFields(selection, level, position, row, index, inner, executable, into: &output)
        }
        index = inner
      case .one, .many:
        try writeChild(
          Int(operation.pointee.index), isMany: operation.pointee.kind == .many, position, executable,
          into: &output)
      case .depth: output.append(int: Int64(level.depths[position]))
      case .cycle: output.append(level.cycles[position] != 0 ? "true" : "false")
      case .cursor: try writeCursor(selection, level, position, executable, into: &output)
      // Written by ``writeRecursion(_:_:_:_:_:_:into:)``.
      case .recursion: output.truncate(to: fieldStart)
      }
      if operation.pointee.omitsNull, output.endsWithNull { output.truncate(to: fieldStart) }
    }
  }

  private func writeChild(
    _ index: Int, isMany: Bool, _ parent: Int, _ executable: Executable, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let selection = executable.selections[index]
    let level = levels[index]
    let place = parent &- level.parentBase
    let start = Int(level.members.offsets[place])
    let end = Int(level.members.offsets[place &+ 1])
    if let recursion = selection.recursion {
      return try writeRecursion(selection, recursion, level, start, end, executable, into: &output)
    }
    if !isMany {
      if start == end { return output.append("null") }
      return try writeMember(selection, level, start, executable, into: &output)
    }
    output.append(0x5B)
    if start == end { return output.append(0x5D) }
    try writeMembers(selection, level, start, end, executable, into: &output)
    output.overwriteLast(0x5D)
  }

  @inline(__always)
  private func appendName(_ code: Int, _ names: EnumNames, into output: inout ByteBuffer) {
    guard code < names.count else { return output.append("null") }
    output.append(padded: names.names[code].start, names.names[code].count)
  }

  /// Writes a computed value.
  private func write(
    _ vector: Vector, _ position: Int, _ operation: FieldOperation, _ selection: CompiledSelection,
    _ executable: Executable, into output: inout ByteBuffer
  ) {
    let place = vector.isConstant ? 0 : position
    switch operation.form {
    case .int where vector.kind == .word:
      if vector.validity[place] == 0 { output.append("null") } else { output.append(int: vector.words[place]) }
    case .text where vector.kind == .wide:
      if vector.validity[place] == 0 {
        output.append("null")
      } else {
        output.reserve(16)
        output.appendReserved(0x22)
        let address = UnsafeRawPointer(vector.cells + place)
        output.appendText(address, address.load(as: UInt64.self))
      }
    case .float where vector.kind == .double:
      if vector.validity[place] == 0 { output.append("null") } else { output.append(double: vector.doubles[place]) }
    case .code where vector.kind == .word:
      if vector.validity[place] == 0 {
        output.append("null")
      } else {
        appendName(Int(vector.words[place]), executable.enums[Int(operation.index)], into: &output)
      }
    case .boolean where vector.kind == .truth:
      switch vector.truths[place] {
      case 0: output.append("false")
      case 2: output.append("true")
      default: output.append("null")
      }
    default:
      GQLExecutor.write(
        vector, position, type: selection.types[Int(operation.index)], catalog: catalog, into: &output)
    }
  }
}
