/// A source of records.
package enum LoadSource: Sendable {
  /// Bytes in a format; of the type, or of what the records or the name say.
  case bytes([UInt8], LoadFile.Format, type: String?, name: String)
  /// A file, a directory, a pattern of files, or `-` for standard input; under a name and in a format, or under its own
  /// name and in the format that its ending and its content say.
  case path(String, name: String? = nil, format: LoadFile.Format? = nil)
}
