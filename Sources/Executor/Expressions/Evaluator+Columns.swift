import GQLCatalog
import GQLStore

extension Evaluator {
  func toOne(_ node: Node, _ out: Vector) {
    let reader = execution.snapshot.column(EntityTypeID(Int(node.entity)), ColumnID(Int(node.index)))
    let base = vector(node.a).rows
    let rows = out.rows
    for position in 0..<count {
      let row = base[position]
      rows[position] = row == PageLayout.noRow ? row : reader.reference(row)
    }
  }

  func firstRow(_ node: Node, _ out: Vector) {
    let rows = out.rows
    guard node.a >= 0, node.b >= 0 else {
      for position in 0..<count { rows[position] = PageLayout.noRow }
      return
    }
    let first = vector(node.a).rows
    let second = vector(node.b).rows
    for position in 0..<count {
      rows[position] = first[position] == PageLayout.noRow ? second[position] : first[position]
    }
  }

  // MARK: - Rows anywhere

  /// Null where the row is missing.
  func gather(_ node: Node, _ out: Vector) {
    let entity = EntityTypeID(Int(node.entity))
    let column = ColumnID(Int(node.index))
    let reader = execution.look { $0.column(entity, column) }
    let rows = vector(node.a).rows
    let validity = out.validity
    let kind = node.columnKind
    switch kind {
    case .int64, .float64, .references:
      let words = out.words
      for position in 0..<count {
        let row = rows[position]
        if row == PageLayout.noRow {
          validity[position] = 0
          words[position] = 0
        } else {
          words[position] = reader.int64(row)
          validity[position] = valid(reader, row)
        }
      }
    case .code:
      let words = out.words
      for position in 0..<count {
        let row = rows[position]
        if row == PageLayout.noRow {
          validity[position] = 0
          words[position] = 0
        } else {
          words[position] = Int64(reader.code(row))
          validity[position] = valid(reader, row)
        }
      }
    case .byte:
      let truths = out.truths
      for position in 0..<count {
        let row = rows[position]
        if row == PageLayout.noRow {
          truths[position] = 1
        } else {
          let isValid = valid(reader, row)
          truths[position] = (reader.byte(row) &<< 1) & (0 &- isValid) | (1 &- isValid)
        }
      }
    case .decimal, .text, .wordList, .wideList:
      let cells = out.cells
      for position in 0..<count {
        let row = rows[position]
        if row == PageLayout.noRow {
          validity[position] = 0
          cells[position] = Cell(low: 0)
        } else {
          cells[position] = reader.wide(row)
          validity[position] = valid(reader, row)
        }
      }
    case .reference:
      for position in 0..<count {
        let row = rows[position]
        out.rows[position] = row == PageLayout.noRow ? row : reader.reference(row)
      }
    }
  }

  /// What the cells of rows hold beside their words; null where these are null.
  func finer(_ node: Node, _ out: Vector) {
    let reader = execution.snapshot.column(EntityTypeID(Int(node.entity)), ColumnID(Int(node.index)))
    let rows = vector(node.a).rows
    for position in 0..<count {
      let row = rows[position]
      if row == PageLayout.noRow {
        out.validity[position] = 0
        out.words[position] = 0
      } else {
        out.words[position] = reader.finer(row)
        out.validity[position] = valid(reader, row)
      }
    }
  }

  @inline(__always)
  private func valid(_ reader: ColumnReader, _ row: UInt32) -> UInt8 {
    let base = reader.page(of: row)
    let byte = (base + (PageLayout.validityOffset &+ (Int(row) & PageLayout.rowMask) &>> 3)).load(as: UInt8.self)
    return (byte &>> UInt8(truncatingIfNeeded: row & 7)) & 1
  }

  // MARK: - Rows of one page

  /// Wide, word and double cells are read where they lie.
  func pageColumn(_ node: Node, _ register: Vector) -> Vector {
    var out = register
    let reader = execution.snapshot.column(EntityTypeID(Int(node.entity)), ColumnID(Int(node.index)))
    let page = reader.page(of: batch.pageRow)
    let slot = Int(batch.pageRow) & PageLayout.rowMask
    let kind = node.columnKind
    let cells = page + (PageLayout.cellsOffset &+ slot &* kind.width)
    out.allValid = page.load(fromByteOffset: PageLayout.nullCountOffset, as: Int32.self) == 0
    if out.allValid {
      out.validity = block.ones
    } else {
      PageKernel.expand(page + PageLayout.validityOffset, slot, count, into: out.validity)
    }
    switch kind {
    case .int64, .float64, .decimal, .text, .wordList, .wideList, .references, .reference:
      // Read only, as all vectors are.
      out.values = UnsafeMutableRawPointer(mutating: cells)
    case .code:
      let codes = cells.assumingMemoryBound(to: UInt16.self)
      let words = out.words
      for position in 0..<count { words[position] = Int64(codes[position]) }
    case .byte:
      let bytes = cells.assumingMemoryBound(to: UInt8.self)
      let truths = out.truths
      for position in 0..<count { truths[position] = bytes[position] &<< 1 }
      if !out.allValid { TruthKernel.maskUnknown(truths, out.validity, block.ones, count) }
    }
    return out
  }
}

enum PageKernel {
  /// Validity bits from bit `first` on as bytes of 0 and 1.
  static func expand(
    _ bits: UnsafeRawPointer, _ first: Int, _ count: Int, into validity: UnsafeMutablePointer<UInt8>
  ) {
    var index = 0
    if first & 7 == 0 {
      let out = UnsafeMutableRawPointer(validity)
      while index &+ 8 <= count {
        let byte = UInt64((bits + ((first &+ index) &>> 3)).load(as: UInt8.self))
        // Each byte of the word keeps one bit of the eight, then that bit moves to the lowest place.
        let spread = (byte &* 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201
        let ones = ((spread &+ 0x7F7F_7F7F_7F7F_7F7F) | spread) &>> 7 & 0x0101_0101_0101_0101
        (out + index).storeBytes(of: ones, as: UInt64.self)
        index &+= 8
      }
    }
    while index < count {
      let bit = first &+ index
      validity[index] = ((bits + bit &>> 3).load(as: UInt8.self) &>> UInt8(truncatingIfNeeded: bit & 7)) & 1
      index &+= 1
    }
  }
}
