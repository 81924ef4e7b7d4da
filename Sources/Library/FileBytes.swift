import GQLEngine
import GQLLoader

/// Whole files as bytes, for the command.
package enum FileBytes {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - most: The bytes that the caller takes: of a longer file there is one byte more, and the rest is not read.
  ///   - root: A folder that the file must lie in, as `realpath` gives it.
  /// - Throws: ``QueryError`` with the system's reason.
  package static func read(
    _ path: String, shownAs name: String? = nil, atMost most: Int, within root: String? = nil
  ) throws(QueryError) -> [UInt8] {
    do {
      let file = try MappedFile(path: path, atMost: most, within: root)
      return withExtendedLifetime(file) { [UInt8](file.bytes) }
    } catch {
      throw QueryError(code: LoadProblem.unreadable.code, error.message, file: name ?? path)
    }
  }

  /// Returns the path of a folder, its links followed; nil if there is none.
  package static func folder(_ path: String) -> String? {
    MappedFile.resolved(path).flatMap { MappedFile.directoryEntries($0) == nil ? nil : $0 }
  }

  /// Returns the names in a folder, sorted by bytes; none where there is no such folder.
  package static func names(in folder: String) -> [String] { MappedFile.directoryEntries(folder) ?? [] }

  /// Returns whether a path leads to something in a folder that ``folder(_:)`` gave.
  package static func leads(_ path: String, into root: String) -> Bool { MappedFile.leads(path, into: root) }

  /// Returns the folder that a pattern of paths begins in; nil for a path that is none.
  package static func patternFolder(_ path: String) -> String? {
    PathPattern.isPattern(path) && !exists(path) ? PathPattern.folder(of: path) : nil
  }

  /// Returns the files in a folder, or those that a pattern finds; of any other path itself.
  package static func files(at path: String) -> [String] {
    if let folder = folder(path) { return names(in: folder).map { "\(folder)/\($0)" } }
    return patternFolder(path) == nil ? [path] : (try? PathPattern.paths(path)) ?? []
  }

  /// Returns whether there is something of that name.
  package static func exists(_ path: String) -> Bool { MappedFile.exists(path) }

  /// Returns where a text in UTF-8 begins: after its byte order mark, if it has one.
  package static func textStart(of bytes: some Sequence<UInt8>) -> Int { TextEncoding.start(of: bytes) }

  /// Returns whether a path ends as those of files of data do.
  package static func isNamedAsData(_ path: String) -> Bool { DataFileName.isData(path) }

  /// Returns whether a path is one of the process's own streams.
  package static func isStream(_ path: String) -> Bool { MappedFile.stream(named: path) != nil }

  /// Replaces a file as a whole: a failure leaves the old one.
  ///
  /// - Throws: ``QueryError`` with the system's reason.
  package static func write(_ bytes: [UInt8], to path: String) throws(QueryError) {
    let file = try FileReplacement(path)
    try file.write(bytes)
    try file.commit()
  }
}
