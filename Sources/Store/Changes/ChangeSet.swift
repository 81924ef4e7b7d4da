import GQLBase

/// The row changes that lead from one version of a store to another, in the order of types and rows.
///
/// It is kept in the bytes in which it is logged and sent. One change has one form, so that two sets are equal if and
/// only if they say the same:
///
/// ```
/// set     = { type }                          types ascend
/// type    = number + 1, { row }, 0            rows ascend
/// row     = rows passed over since the one before, + 1
///           marks, two bytes: status before (2 bits), status after (2), fields, lists, record, suspended, waiting,
///           erased, kept
///           [fields] [lists] [record] [suspended] [waiting]
/// fields  = { column + 1, form, [before], [after] }, 0
/// lists   = { column + 1, kept, taken out, put in, rows taken out, rows put in }, 0
/// record  = words before, words after
/// suspended = { relation + 1, words before, words after }, 0
/// waiting = { relation + 1, { key, before and after }, 0, slots opened, slots closed }, 0
/// ```
/// Numbers are varints. The content of a row is that of ``RowImage``; a row that is void has none. See
/// `docs/format.md` for the bytes of each part.
package struct ChangeSet: Sendable, Hashable {
  package let bytes: ContiguousArray<UInt8>

  package init() { bytes = [] }

  /// Takes bytes as they are; whether they are well-formed is found when they are read.
  package init(bytes: ContiguousArray<UInt8>) { self.bytes = bytes }

  package var isEmpty: Bool { bytes.isEmpty }
}

extension ChangeSet {
  /// Calls with the type and the number of each row that changes, in order.
  ///
  /// - Throws: where the set is not well-formed.
  package func forEachRow(_ body: (_ type: Int, _ row: UInt32) -> Void) throws(ChangeProblem) {
    let problem = bytes.withUnsafeBytes { bytes -> ChangeProblem? in
      var reader = ChangeReader(bytes)
      var words: ContiguousArray<UInt32> = []
      do throws(ChangeProblem) {
        while !reader.isAtEnd {
          guard let type = try reader.next() else { throw reader.malformed }
          var next: UInt32 = 0
          while let row = try reader.row(after: next) {
            next = row + 1
            try reader.skipRow(try reader.marks(), &words) { _ in }
            body(type, row)
          }
        }
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }
}

/// Why a change set cannot be read or applied.
package enum ChangeProblem: Error, Hashable, Sendable {
  /// The bytes are not those of a change set; `offset` is that of the first part that is wrong.
  case malformed(offset: Int)
  /// A change is of a type, a column or a relation that the store does not have, or of another kind.
  case otherLayout(offset: Int)
  /// A change is of a row that is not what it was.
  case otherVersion(type: Int, row: UInt32)
  case tooManyRows(type: Int)
}

/// The status of a row, as change sets write it.
enum RowChangeStatus {
  /// No entity: the row was never used, or its entity is purged.
  static var void: UInt64 { RowStatus.purged }
  static var live: UInt64 { RowStatus.live }
  static var deleted: UInt64 { RowStatus.deleted }
}

/// Which parts of a row's content a change names.
struct RowChangeMarks {
  var word: UInt64

  static var fields: UInt64 { 1 << 4 }
  static var lists: UInt64 { 1 << 5 }
  static var record: UInt64 { 1 << 6 }
  static var suspended: UInt64 { 1 << 7 }
  static var waiting: UInt64 { 1 << 8 }
  /// No part: the history of what the row was before is not to be kept.
  static var erased: UInt64 { 1 << 9 }
  /// No part: the history of a row that goes is to be kept.
  static var kept: UInt64 { 1 << 10 }
  static var all: UInt64 { 0x7FF }
  /// The parts that only a row with an entity has.
  static var content: UInt64 { fields | lists | record | suspended }

  var before: UInt64 { word & 3 }
  var after: UInt64 { word >> 2 & 3 }
  func has(_ mark: UInt64) -> Bool { word & mark != 0 }
  /// Indicates whether nothing changes but what is kept of the past.
  var isOfPast: Bool { before == after && word & (Self.content | Self.waiting) == 0 }
  /// The marks of the change back. What is erased does not come back.
  var inverse: UInt64 { word & ~(15 | Self.erased | Self.kept) | before << 2 | after }
}
