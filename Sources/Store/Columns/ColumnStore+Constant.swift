import GQLCatalog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Pages that hold one cell 1,024 times: one page stands in many places of the directory.
///
/// It carries a stamp that no transaction has, so that whoever writes one of the places copies it first.
extension ColumnStore {
  private static var nobody: UInt64 { 0 }

  /// Appends a fixed-width cell (nil: null) to `count` rows. Complexity: O(count / 1,024).
  func appendRepeated(_ cell: Cell?, count added: Int) {
    var left = added
    let isFine = kind == .int64 && (cell?.high ?? 0) != 0
    while left > 0, isFine || self.count & PageLayout.rowMask != 0 {
      append(cell)
      left -= 1
    }
    if left >= PageLayout.rows {
      if let cell { if isAscending { noteAscending(cell) } } else { isAscending = false }
      let page = constantPage(cell)
      while left >= PageLayout.rows {
        appendWhole(page, nulls: cell == nil)
        left -= PageLayout.rows
      }
    }
    for _ in 0..<left { append(cell) }
  }

  private func constantPage(_ cell: Cell?) -> Page {
    let page = makePage(stamp: Self.nobody)
    guard let cell else {
      page.base.storeBytes(of: Int32(PageLayout.rows), as: Int32.self)
      return page
    }
    memset(page.base + PageLayout.validityOffset, 0xFF, PageLayout.rows / 8)
    for index in 0..<PageLayout.rows { store(cell, at: page.base + (PageLayout.cellsOffset + index &* width)) }
    return page
  }

  /// After the last row of a page of an ascending column: puts a shared page in its place if all cells are equal.
  func shareTail() {
    let last = UInt32(truncatingIfNeeded: count - 1)
    let number = directory.count - 1
    guard isAscending, width == 8, !isFine, cell(last) == cell(last - UInt32(PageLayout.rowMask)) else { return }
    if number > 0, cell(last - UInt32(PageLayout.rows)) == cell(last) {
      let previous = directory.page(number - 1)
      if previous.stamp == Self.nobody {
        replacePage(number, with: previous)
        return
      }
    }
    replacePage(number, with: Page(copying: directory.page(number), stamp: Self.nobody))
  }
}
