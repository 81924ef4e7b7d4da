import GQLBase
import GQLEngine

/// A place where a database keeps its data: a file, a service, a store of the program's own.
///
/// Each commit is first appended as a ``StorageRecord``. Later the ``StorageRow``s that commits have changed are written,
/// each once however often it has changed; then the records of these commits may go. Opening reads the rows and the
/// records that follow them. A row names the version that it was written for, so that records which are older than it
/// do not touch it: rows and records need not be written in one step.
///
/// Records and rows are bytes with checksums: a backend neither reads nor changes them. It is called by one thread at
/// a time. What it throws ends writing until ``GQLEngine/Database/reopen()``; an error that is no
/// ``GQLEngine/QueryError`` becomes `storage-failed`. ``StorageConformance`` checks an implementation.
public protocol StorageBackend: AnyObject, Sendable {
  /// Names the place, for messages.
  var name: String { get }

  /// Opens the place, or makes an empty one where nothing is and the options allow it. Called first, and again after
  /// ``close()``.
  func open(_ options: StorageOptions) throws

  /// Passes everything that is kept to `reader`: the state, then the rows in the order of types and rows, then the
  /// records in the order of versions. All must be of one moment. Nothing is passed where nothing is
  /// kept.
  func read(into reader: StorageReader) throws

  /// Returns the records after a version, in their order, or nil where some of them are gone. Used by followers.
  func records(after version: Int64) throws -> [StorageRecord]?

  /// Returns a number that differs after another process or database has written.
  func changeMark() throws -> Int64

  /// Keeps records, which follow those that are kept. On return they survive what the options' durability names. A
  /// failure may leave some of the first ones, each whole.
  func append(_ records: [StorageRecord]) throws

  /// Keeps rows in the place of their earlier forms, each as a whole; see ``isTransactional`` for all of them. Removes
  /// the rows that are ``StorageRow/isRemoved``.
  ///
  /// Also notes the rows' ``StorageRows/point`` as ``StorageState/newest``, after the rows.
  ///
  /// - Parameter point: The version whose commits the rows hold from then on, together with those written before;
  ///   noted after the rows as ``StorageState/folded``. Nil where some are missing.
  func write(_ rows: StorageRows, holding point: StoragePoint?) throws

  /// Forgets the records up to a version, whose commits the rows hold.
  func forget(through version: Int64) throws

  /// Throws where a state cannot take the place of the one that is there. Nothing has been written then.
  func check(_ state: StorageState) throws

  /// Keeps a state and rows in the place of all rows and records that are there, as a whole or not at all.
  func replace(_ state: StorageState, with rows: StorageRows) throws

  /// Returns when all that was kept survives the loss of power.
  func flush() throws

  /// Tidies up, where that takes little, and lets go of the place.
  func close() throws

  /// Lets go of the place at once, after a failure.
  func abandon()

  /// Indicates whether ``write(_:holding:)`` keeps all that it is given, or nothing.
  var isTransactional: Bool { get }
}

extension StorageBackend {
  /// Returns 0, as of a place that no other process writes to.
  public func changeMark() throws -> Int64 { 0 }
  /// Takes every state.
  public func check(_ state: StorageState) throws {}
  /// Does nothing, as of a place whose writes survive at once.
  public func flush() throws {}
  /// Does nothing.
  public func abandon() {}
  /// Returns false.
  public var isTransactional: Bool { false }
}

/// A version, with the sum of the record that led to it. Records name the sum of the one before them, so that those of
/// another copy do not fit.
public struct StoragePoint: Sendable, Hashable {
  /// The number of the version.
  public var version: Int64
  /// The sum.
  public var sum: UInt32

  /// A version with its sum.
  public init(version: Int64, sum: UInt32) {
    self.version = version
    self.sum = sum
  }
}

/// A description of what rows and records are of.
public struct StorageState: Sendable, Hashable {
  /// The schema as SDL; empty while there is none.
  public var schema: String
  /// The version whose commits the rows hold.
  public var folded: StoragePoint
  /// A version that the records are known to lead to; a backend may note any that it has kept, and the last is best.
  /// Where they end before it, some are lost.
  public var newest: StoragePoint
  /// When the version was made.
  var time = Int64.min

  /// A state.
  public init(schema: String, folded: StoragePoint, newest: StoragePoint) {
    self.schema = schema
    self.folded = folded
    self.newest = newest
  }
}

/// A commit as it is kept.
public struct StorageRecord: Sendable, Hashable {
  /// Counts the commits of a database, from 1.
  public let version: Int64
  /// The time of the commit, in microseconds since 1970.
  public let time: Int64
  /// The changes, with checksums at the end.
  public let bytes: [UInt8]
  /// Indicates whether it names the record before it; those of old files do not.
  var isChained = true

  /// A record, as it was kept.
  public init(version: Int64, time: Int64, bytes: [UInt8]) {
    self.version = version
    self.time = time
    self.bytes = bytes
  }
}

/// A row as it is kept.
public struct StorageRow: Sendable, Hashable {
  /// The number of its type, from 0. A type has the same number until everything is replaced.
  public let type: Int
  /// The number of the row within its type, from 0 to 2³¹ − 2.
  public let row: Int
  /// The version that it was written for.
  public let version: Int64
  /// The content, with a checksum at the end; empty for a row that is to be removed.
  public let bytes: [UInt8]

  /// Indicates whether nothing is to be kept of the row.
  public var isRemoved: Bool { bytes.isEmpty }

  /// A row, as it was kept.
  public init(type: Int, row: Int, version: Int64, bytes: [UInt8]) {
    self.type = type
    self.row = row
    self.version = version
    self.bytes = bytes
  }
}
