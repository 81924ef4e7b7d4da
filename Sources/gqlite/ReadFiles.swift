import Synchronization

/// A list of the files that a command has read, so that no answer is written over them. The copies of a session share it.
final class ReadFiles: Sendable {
  private struct Paths {
    var data: [String] = []
    var others: [String] = []
  }
  private let paths = Mutex(Paths())

  /// Lists the files of data.
  var data: [String] { paths.withLock { $0.data } }
  /// Lists the other files: documents, schemas and variables.
  var others: [String] { paths.withLock { $0.others } }

  /// Notes a file of data.
  func noteData(_ path: String) { paths.withLock { $0.data.append(path) } }

  /// Notes another file.
  func note(_ path: String) { paths.withLock { $0.others.append(path) } }
}
