import GQLBase
import GQLCatalog

/// Columns of values: shared where their cells stay, else made anew.
extension Evolution {
  func fillColumns(_ type: StoreLayout.TypeLayout) throws(EvolutionFailure) {
    let table = table(type.id)
    let before = oldTable(type.id)
    guard table.slots > 0 else { return }
    let sources = mapping.columns[Int(type.id.index)]
    for number in type.columns.indices {
      if type.isRelation[number] { continue }
      if let from = type.columns[number].foldedFrom {
        try fillFolded(table, number, from: Int(from.index), before, sources[Int(from.index)])
      } else if let source = sources[number] {
        try fill(table, number, source, before)
      } else {
        try setEmpty(table, number)
      }
    }
  }

  func newColumn(_ column: ColumnDescriptor, slot: UnsafeMutablePointer<ColumnReader>) -> ColumnStore {
    let elementIsText = if case .list(let element) = column.type, ColumnKind(element) == .text { true } else { false }
    return ColumnStore(kind: column.kind, elementIsText: elementIsText, stamp: stamp, slot: slot)
  }

  func emptyColumn(
    _ column: ColumnDescriptor, rows: Int, live: Int, slot: UnsafeMutablePointer<ColumnReader>
  ) -> ColumnStore {
    let made = newColumn(column, slot: slot)
    made.appendRepeated(nil, count: rows)
    made.liveNulls = live
    return made
  }

  private func setEmpty(_ table: Table, _ number: Int) throws(EvolutionFailure) {
    table.setColumn(number) {
      emptyColumn(table.layout.columns[number], rows: table.slots, live: table.live, slot: $0)
    }
    try advance(table.slots / PageLayout.rows)
    try take(table.columns[number].byteCount)
  }

  /// The column with the cells of another version.
  private func share(_ table: Table, _ number: Int, _ store: ColumnStore) throws(EvolutionFailure) {
    table.setColumn(number) { ColumnStore(copying: store, stamp: stamp, slot: $0) }
    guard let gone = goneRows(table.layout.id), let before = oldTable(table.layout.id) else { return }
    let column = table.columns[number]
    for row in rows(before) {
      try advance()
      guard gone[Int(row)] else { continue }
      if before.isLive(row), store.isNull(row) { column.liveNulls -= 1 }
      if column.payloadBytes(store.cell(row)) > 0 { column.forgetPayload(row) }
    }
  }

  private func fill(
    _ table: Table, _ number: Int, _ source: CatalogMapping.Column, _ before: Table?
  ) throws(EvolutionFailure) {
    let descriptor = table.layout.columns[number]
    var outcome = EvolutionReport.Column(type: table.layout.id, column: descriptor.id)
    let filler = source.fill == nil ? nil : self.filler(table.layout.id, descriptor.id)
    let store = source.old.flatMap { column in before?.columns[Int(column.index)] }
    var needsFilling = false
    if let store, filler != nil { needsFilling = try hasNulls(store, table) }
    if let composition = source.composition, let type = mapping.oldTypes[Int(table.layout.id.index)] {
      let composer = ObjectComposer(composition, of: type, in: old)
      try rewrite(table, number, source, nil, filler, composer, &outcome)
    } else if let store, source.conversion == nil, !needsFilling {
      try share(table, number, store)
    } else if store == nil, filler == nil {
      try setEmpty(table, number)
    } else if store == nil, source.presence == nil, let filler {
      table.setColumn(number) { newColumn(descriptor, slot: $0) }
      table.columns[number].appendRepeated(filler, toEachOf: table.slots)
      try advance(table.slots / PageLayout.rows)
      try take(table.columns[number].byteCount)
    } else {
      try rewrite(table, number, source, store, filler, nil, &outcome)
    }
    if source.isRequired { try countMissing(table, number, source, &outcome) }
    if !outcome.isEmpty { report.columns.append(outcome) }
  }

  /// Whether a row that can be seen or restored has none of the column's values.
  private func hasNulls(_ store: ColumnStore, _ table: Table) throws(EvolutionFailure) -> Bool {
    if store.liveNulls > 0 { return true }
    if table.liveness == nil { return false }
    for row in rows(table) {
      try advance()
      if table.isDeleted(row), store.isNull(row) { return true }
    }
    return false
  }

  private func rewrite(
    _ table: Table, _ number: Int, _ source: CatalogMapping.Column, _ store: ColumnStore?, _ filler: Cell?,
    _ composer: ObjectComposer?, _ outcome: inout EvolutionReport.Column
  ) throws(EvolutionFailure) {
    let converter = source.conversion.map { CellConverter($0, from: old.catalog, to: catalog, mapping.enumValues) }
    table.setColumn(number) { newColumn(table.layout.columns[number], slot: $0) }
    let column = table.columns[number]
    let presence = source.presence.map { table.columns[Int($0.index)] }
    let oldSlots = oldTable(table.layout.id)?.slots ?? 0
    let arena = ConversionArena()
    var liveNulls = 0
    var share = MemoryShare(allowance)
    for row in rows(table) {
      try advance()
      if Int(row) & PageLayout.rowMask == 0, !share.hold(column.byteCount) { try check() }
      let isLive = table.isLive(row)
      guard isLive || table.isDeleted(row) else {
        // Nobody sees it again.
        column.append(nil)
        continue
      }
      var cell: Cell?
      if let composer, Int(row) < oldSlots {
        arena.removeAll()
        switch composer.value(row, arena) {
        case .exact(let value)?, .inexact(let value)?: cell = value
        case .lost?: outcome.lost += 1
        case nil: break
        }
        try advance(composer.steps)
      } else if let store, !store.isNull(row) {
        let old = store.cell(row)
        switch converter.map({ $0.convert(old) }) {
        case nil: cell = old
        case .exact(let new)?: cell = new
        case .inexact(let new)?:
          outcome.inexact += 1
          cell = new
        case .lost?: outcome.lost += 1
        }
      }
      if cell == nil, presence.map({ !$0.isNull(row) }) ?? true { cell = filler }
      if cell == nil, isLive { liveNulls += 1 }
      column.append(cell)
    }
    column.liveNulls = liveNulls
    if !share.hold(column.byteCount) { try check() }
    outcome.lostCodes = converter?.lostCodes ?? []
  }

  private func countMissing(
    _ table: Table, _ number: Int, _ source: CatalogMapping.Column, _ outcome: inout EvolutionReport.Column
  ) throws(EvolutionFailure) {
    let column = table.columns[number]
    if table.liveness == nil, column.liveNulls == 0 { return }
    let presence = source.presence.map { table.columns[Int($0.index)] }
    for row in rows(table) {
      try advance()
      guard column.isNull(row), table.isLive(row) || table.isDeleted(row) else { continue }
      if presence.map({ !$0.isNull(row) }) ?? true { outcome.missing += 1 }
    }
  }

  // MARK: - Folded text

  private func fillFolded(
    _ table: Table, _ number: Int, from sourceNumber: Int, _ before: Table?, _ source: CatalogMapping.Column?
  ) throws(EvolutionFailure) {
    let text = table.columns[sourceNumber]
    if let before, let oldSource = source?.old, isShared(text, before.columns[Int(oldSource.index)]),
      let folded = before.layout.foldedColumns[Int(oldSource.index)].first
    {
      return try share(table, number, before.columns[folded])
    }
    let descriptor = table.layout.columns[number]
    table.setColumn(number) { newColumn(descriptor, slot: $0) }
    let column = table.columns[number]
    var folded: ContiguousArray<UInt8> = []
    var liveNulls = 0
    var share = MemoryShare(allowance)
    for row in rows(table) {
      try advance()
      if Int(row) & PageLayout.rowMask == 0, !share.hold(column.byteCount) { try check() }
      if text.isNull(row) {
        if table.isLive(row) { liveNulls += 1 }
        column.append(nil)
        continue
      }
      folded.removeAll(keepingCapacity: true)
      TextView(text.cell(row)).withBytes { fold(UnsafeRawBufferPointer(start: $0, count: $1), &folded) }
      guard folded.count <= TextView.maximumLength else {
        throw .refused(.textTooLong(table.layout.id, descriptor.id))
      }
      folded.withUnsafeBytes { bytes in
        // An empty array may have no address.
        column.append(bytes.baseAddress.map { TextView($0, count: bytes.count).cell } ?? Cell(low: 0))
      }
    }
    column.liveNulls = liveNulls
    if !share.hold(column.byteCount) { try check() }
  }

  /// Whether a column has the pages of another, which nobody has written since.
  func isShared(_ column: ColumnStore, _ other: ColumnStore) -> Bool { column.directory === other.directory }
}

extension ColumnStore {
  /// Appends a cell of any kind to `count` rows, which share what it points to.
  func appendRepeated(_ cell: Cell, toEachOf count: Int) {
    guard count > 0 else { return }
    append(cell)
    let first = self.cell(0)
    let bytes = payloadBytes(first)
    // Counted for each: whoever writes one of them takes it off again.
    let counted = liveBytes
    for _ in 1..<min(count, PageLayout.rows) { append(first, ownsPayload: true) }
    appendRepeated(first, count: max(0, count - PageLayout.rows))
    liveBytes = counted + bytes * (count - 1)
  }
}
