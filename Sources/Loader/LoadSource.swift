/// Where records come from.
package enum LoadSource: Sendable {
  /// Bytes in a format; of the type, or of what the records or the name say.
  case bytes([UInt8], LoadFile.Format, type: String?, name: String)
  /// A file or a directory.
  case path(String)
}
