import GQLBase
import GQLCatalog
import GQLStore

/// A kind of fault of data.
package enum LoadProblem: Sendable, Hashable, CaseIterable {
  /// `{"id": 1,}`
  case invalidJSON
  /// A line that is `[1, 2]` where an object belongs.
  case notAnObject
  /// `Usr.ndjson` beside a schema without `Usr`.
  case unknownType
  /// `{"id": 1, "agee": 3}`
  case unknownField
  /// `{"id": 1, "age": 3, "age": 4}`
  case repeatedField
  /// `{"id": 1, "age": "three"}`
  case wrongType
  /// `{"id": 1, "age": 9223372036854775808}`
  case outOfRange
  /// `{"id": 1, "born": "2026-13-01"}`
  case malformed
  /// `{"id": 1, "status": "ACTVE"}`
  case unknownEnumValue
  /// `{"age": 3}`
  case missingID
  /// `{"id": 1, "name": null}` for `name: String!`
  case missingValue
  /// Two lines with `"id": 1`.
  case duplicateID
  /// Two lines with one e-mail address that is `@unique`.
  case uniqueViolation
  /// `{"id": 1, "author": 404}`
  case danglingLink
  /// `{"id": 1, "owner": 7}` where `owner` is of an interface and a user and a team have the id 7.
  case ambiguousLink
  /// `{"id": 1, "chair": 5}` and `{"id": 2, "chair": 5}`, where a chair has one owner.
  case contradictingLinks
  /// `{"id": 7, "price": 10}` in one object and `{"id": 7, "price": 12}` in another, where a product is one entity.
  case contradictingValues
  /// `{"customer": "Ann", "lines": [{"sku": 1}]}`, whose records are the lines.
  case leftOut
  /// A path that cannot be read.
  case unreadable
  /// `a,b` followed by `1,2,3`.
  case raggedLine
  /// More than the store can hold.
  case tooLarge
  /// A form of data that is not read.
  case unsupported
  /// A load that was asked for without any data.
  case noData
  /// A load whose time is over, or that was cancelled. Its diagnostic is that of the interruption.
  case interrupted

  init(_ fault: ScalarFault) {
    switch fault {
    case .wrongKind: self = .wrongType
    case .outOfRange: self = .outOfRange
    case .malformed: self = .malformed
    }
  }

  /// Codes are those that the fault has at other doors too: in documents and variables.
  package var code: DiagnosticCode {
    switch self {
    case .invalidJSON: .invalidJSON
    case .notAnObject: "not-an-object"
    case .unknownType: "unknown-type"
    case .unknownField: "unknown-field"
    case .repeatedField: "duplicate-argument"
    case .wrongType: "wrong-type"
    case .outOfRange: "number-out-of-range"
    case .malformed: "malformed-value"
    case .unknownEnumValue: "unknown-enum-value"
    case .missingID, .missingValue: "missing-value"
    case .duplicateID, .uniqueViolation: "unique-violation"
    case .danglingLink: "dangling-link"
    case .ambiguousLink: "ambiguous-link"
    case .contradictingLinks: "contradicting-links"
    case .contradictingValues: "contradicting-values"
    case .leftOut: "left-out"
    case .unreadable: "unreadable-file"
    case .raggedLine: "ragged-line"
    case .tooLarge: .tooLarge
    case .unsupported: "unsupported-data"
    case .noData: "no-data"
    case .interrupted: "cancelled"
    }
  }
}

/// A fault of one record, and its place in the file.
struct RecordFailure: Error {
  var problem: LoadProblem
  var message: String
  var help: String?
  /// Byte offsets into the file; of rows of a table, their numbers from 0 on.
  var start: Int
  var end: Int
  /// Holds the path of a file that cannot be read any further, whichever the record.
  var file: String?

  init(_ problem: LoadProblem, _ message: String, at start: Int, to end: Int? = nil, help: String? = nil) {
    self.problem = problem
    self.message = message
    self.help = help
    self.start = start
    self.end = max(start + 1, end ?? start + 1)
  }

  /// Takes what SQLite says of a file while its rows are read.
  init(_ failure: SQLiteConnection.Failure, of connection: SQLiteConnection, at row: Int) {
    self.init(connection.watch.isDue ? .interrupted : failure.problem, failure.message, at: row)
    file = connection.path
  }

  /// Bytes that are not UTF-8, in JSON or CSV.
  init(notUTF8In range: Range<Int>) {
    self.init(
      .invalidJSON, JSONScanner.Problem.invalidUTF8.message, at: range.lowerBound, to: range.upperBound,
      help: "convert the file first, as with 'iconv -f latin1 -t utf-8 FILE'")
  }

  /// A text that is longer than the store holds.
  init(tooLong name: String, in range: Range<Int>) {
    self.init(
      .tooLarge, "'\(name)' is longer than \(TextView.maximumLength) bytes, the most that a text may have",
      at: range.lowerBound, to: range.lowerBound + 1)
  }

  /// A name of data that is no field's.
  init(unknownField name: String, of owner: String, near slots: [RecordLayout.Slot], at start: Int, to end: Int) {
    if name.isEmpty {
      self.init(.unknownField, "a field of '\(owner)' has an empty name", at: start, to: end)
    } else if Property.reservedNames.contains(name) {
      self.init(.unknownField, "'\(owner)' has no field '\(name)': the name is reserved", at: start, to: end)
    } else {
      let near = nearestNames(to: name, in: slots.map(\.name.string)).first
      self.init(
        .unknownField, "'\(owner)' has no field '\(name)'", at: start, to: end,
        help: near.map { "did you mean '\($0)'?" })
    }
  }

  /// Takes what the scanner or a reader threw for a value at `start`, both within a slice of the file that begins at
  /// `offset`.
  init(_ error: any Error, at start: Int, offset: Int) {
    switch error {
    case let failure as RecordFailure: self = failure
    case let failure as JSONScanner.Failure: self.init(failure, offset: offset)
    default: self.init(.invalidJSON, "\(error)", at: start + offset)
    }
  }

  /// Takes what the scanner threw within a slice of the file that begins at `offset`.
  init(_ failure: JSONScanner.Failure, offset: Int) {
    let place = failure.offset + offset
    if failure.problem == .invalidUTF8 {
      self.init(notUTF8In: place..<place + 1)
    } else {
      self.init(.invalidJSON, failure.problem.message, at: place)
    }
  }
}
