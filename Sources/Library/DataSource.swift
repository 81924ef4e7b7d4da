import GQLBase
import GQLEngine
import GQLLoader

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A source of data.
public enum DataSource: Sendable {
  /// One JSON object a line; of the type, or of the type that each line's `__typename` names. `name` is for messages.
  case ndjson(type: String? = nil, bytes: [UInt8], name: String = "data.ndjson")
  /// A JSON array of objects of the type; or, without a type, one object `{"User": […], …}`.
  case json(type: String? = nil, bytes: [UInt8], name: String = "data.json")
  /// Comma-separated values (RFC 4180) with a line of names. An empty unquoted field is null.
  case csv(type: String, bytes: [UInt8], name: String = "data.csv")
  /// Entities of one type as values.
  case values(type: String, [Value])
  /// A file of CSV, TSV, JSON or NDJSON, also compressed as `.gz` or `.zst`, a SQLite file, or a directory of such
  /// files; `docs/data.md` has the forms.
  case path(String)
  /// A file, a directory or a pattern such as `logs/*.ndjson`, under a name for its table and in a format: nil for what
  /// the file's own name and its content say. The path `-` is standard input.
  case file(path: String, name: String? = nil, format: DataFormat? = nil)
}

/// A format of data.
public enum DataFormat: String, Sendable, CaseIterable {
  /// Values between commas, or what the first lines show to stand between them.
  case csv
  /// Values between tabs.
  case tsv
  /// A list of objects, or objects that hold one.
  case json
  /// One object a line.
  case ndjson
}

extension DataSource {
  /// NDJSON in a text; see ``ndjson(type:bytes:name:)``.
  public static func ndjson(type: String? = nil, text: String, name: String = "data.ndjson") -> DataSource {
    .ndjson(type: type, bytes: Array(text.utf8), name: name)
  }

  /// NDJSON in UTF-8; see ``ndjson(type:bytes:name:)``.
  public static func ndjson(type: String? = nil, data: Data, name: String = "data.ndjson") -> DataSource {
    .ndjson(type: type, bytes: Array(data), name: name)
  }

  /// JSON in a text; see ``json(type:bytes:name:)``.
  public static func json(type: String? = nil, text: String, name: String = "data.json") -> DataSource {
    .json(type: type, bytes: Array(text.utf8), name: name)
  }

  /// JSON in UTF-8; see ``json(type:bytes:name:)``.
  public static func json(type: String? = nil, data: Data, name: String = "data.json") -> DataSource {
    .json(type: type, bytes: Array(data), name: name)
  }

  /// Comma-separated values in a text; see ``csv(type:bytes:name:)``.
  public static func csv(type: String, text: String, name: String = "data.csv") -> DataSource {
    .csv(type: type, bytes: Array(text.utf8), name: name)
  }

  /// Comma-separated values in UTF-8; see ``csv(type:bytes:name:)``.
  public static func csv(type: String, data: Data, name: String = "data.csv") -> DataSource {
    .csv(type: type, bytes: Array(data), name: name)
  }

  /// A file or a directory; see ``path(_:)``. Nothing is fetched over a network: another URL fails as a file that is
  /// not there.
  public static func url(_ url: URL) -> DataSource {
    .path(url.isFileURL ? url.path : url.absoluteString)
  }
}

extension DataSource {
  /// Returns what the loader reads.
  var source: LoadSource {
    switch self {
    case .ndjson(let type, let bytes, let name): return .bytes(bytes, .ndjson, type: type, name: name)
    case .json(let type, let bytes, let name): return .bytes(bytes, .json, type: type, name: name)
    case .csv(let type, let bytes, let name): return .bytes(bytes, .csv(), type: type, name: name)
    case .values(let type, let values):
      var buffer = ByteBuffer(capacity: 1024)
      buffer.append(json: JSONValue.array(values.map(\.json)))
      return .bytes(buffer.takeArray(), .json, type: type, name: "values of \(type)")
    case .path(let path): return .path(path)
    case .file(let path, let name, let format): return .path(path, name: name, format: format?.format)
    }
  }
}

extension DataFormat {
  fileprivate var format: LoadFile.Format {
    switch self {
    case .csv: .csv()
    case .tsv: .csv(separator: 0x09)
    case .json: .json
    case .ndjson: .ndjson
    }
  }
}

/// A set of options for loading.
public struct LoadOptions: Sendable {
  /// Go on behind a bad record and count it, instead of failing as a whole.
  public var skipsBadRecords: Bool
  /// Names the column that is the id, by type, where there is no schema.
  public var ids: [String: String] = [:]
  /// Sets what `now()` in defaults, `_createdAt` and `_updatedAt` become, in microseconds since 1970; nil for the
  /// clock's time.
  public var now: Int64?
  /// Called now and then while loading, from the loading thread, which is the database's one writer meanwhile: it may
  /// query what was there before, a write from it is an error, and it must not wait for a write of another thread.
  public var progress: (@Sendable (LoadProgress) -> Void)?
  /// Limits the bytes that one compressed file may expand to; a small file can hold very many.
  public var maximumExpandedBytes: Int
  /// Limits the wall time that the load may take; nil for as long as it takes. A load that takes longer changes
  /// nothing.
  public var timeout: Duration? {
    get { run.timeout }
    set { run.timeout = newValue }
  }
  /// Limits the bytes that the load may make: what compressed files expand to, what SQLite files hold, and the rows of
  /// the database; nil for as many as it takes. A load that makes more changes nothing.
  public var maximumMemory: Int? {
    get { run.maximumMemory }
    set { run.maximumMemory = newValue }
  }
  /// A flag that may stop the load from another thread; a load that is stopped changes nothing.
  public var cancellation: QueryCancellation? {
    get { run.cancellation }
    set { run.cancellation = newValue }
  }
  /// Holds what may end the load, as runs have it.
  package var run = RunOptions()
  /// Names the folder that files must lie in after their links are followed, as `realpath` gives it; nil for any.
  package var root: String?
  /// Called with the path of each file before it is read.
  package var opening: (@Sendable (String) -> Void)?

  /// Takes the defaults: a bad record fails the load, no progress is told, a compressed file holds up to 4 GiB, and the
  /// load takes as long as it takes.
  public init(
    skipsBadRecords: Bool = false, now: Int64? = nil, maximumExpandedBytes: Int = 4 << 30, timeout: Duration? = nil,
    cancellation: QueryCancellation? = nil, progress: (@Sendable (LoadProgress) -> Void)? = nil
  ) {
    self.skipsBadRecords = skipsBadRecords
    self.now = now
    self.maximumExpandedBytes = maximumExpandedBytes
    self.progress = progress
    if timeout != nil { run.timeout = timeout }
    if cancellation != nil { run.cancellation = cancellation }
  }
}

/// A report of how far a load has come.
public struct LoadProgress: Sendable, Hashable {
  /// A part of the work of a load.
  public enum Step: Sendable, Hashable {
    /// Files are read and expanded; how many bytes there are is not known yet.
    case opening
    /// Without a schema: all records are looked at for the types that they are of.
    case inferring
    /// Records become entities.
    case loading
    /// Entities are connected, and indexes are built.
    case connecting
  }

  /// Names the step that the load is at.
  public var step = Step.loading
  /// Holds the file that is being read, or was read last.
  public var file: String
  /// Bytes read of all sources in this step.
  public var bytes: Int
  /// Bytes of all sources; 0 while they are opened.
  public var totalBytes: Int
  /// Records read.
  public var records: Int
}

/// A report of what a load did.
public struct LoadReport: Sendable, Hashable {
  /// Entities inserted, nested ones included, by type in the schema's order.
  public var inserted: [Count] = []
  /// Records that were skipped because they were bad.
  public var skippedRecords = 0
  /// Holds the first problems of skipped records, and links to ids that are not there.
  public var warnings: [QueryError.Problem] = []
  /// Links to ids that are not there; each connects if its entity comes later.
  public var danglingLinks = 0
  /// Holds what was decided about sources, a sentence each: how they are read, which columns are ids, what was renamed.
  public var notes: [String] = []
  /// Holds the warnings as shown to people.
  public var warningText = ""
  /// Holds the warnings as JSON, an object a line.
  public var warningLines = ""

  /// A type's name and a number of entities.
  public struct Count: Sendable, Hashable {
    /// Holds the entity type.
    public var type: String
    /// Counts the entities.
    public var count: Int
  }
}

extension LoadProgress {
  init(_ position: LoadPosition) {
    let step: Step =
      switch position.step {
      case .opening: .opening
      case .inferring: .inferring
      case .loading: .loading
      case .connecting: .connecting
      }
    self.init(
      step: step, file: position.file, bytes: position.bytes, totalBytes: position.totalBytes, records: position.records
    )
  }
}

extension QueryError {
  init(_ failure: LoadFailure) { self.init(failure.groups) }
}
