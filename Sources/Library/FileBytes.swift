import GQLEngine
import GQLLoader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whole files as bytes, for the command.
package enum FileBytes {
  /// - Throws: ``QueryError`` with the system's reason.
  package static func read(_ path: String, shownAs name: String? = nil) throws(QueryError) -> [UInt8] {
    do {
      let file = try MappedFile(path: path)
      return withExtendedLifetime(file) { [UInt8](file.bytes) }
    } catch {
      throw QueryError(code: LoadProblem.unreadable.code, error.message, file: name ?? path)
    }
  }

  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Replaces a file as a whole: a failure leaves the old one.
  ///
  /// - Throws: ``QueryError`` with the system's reason.
  package static func write(_ bytes: [UInt8], to path: String) throws(QueryError) {
    let temporary = "\(path).\(getpid()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(path) }
    var status = stat()
    if stat(path, &status) == 0 { fchmod(descriptor, status.st_mode & 0o7777) }
    var start = 0
    while start < bytes.count {
      let written = writeSome(descriptor, bytes, from: start)
      if written < 0 {
        if errno == EINTR { continue }
        let error = failure(path)
        close(descriptor)
        unlink(temporary)
        throw error
      }
      start += written
    }
    guard close(descriptor) == 0, rename(temporary, path) == 0 else {
      let error = failure(path)
      unlink(temporary)
      throw error
    }
  }

  private static func writeSome(_ descriptor: CInt, _ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { buffer in
      // Safe because `start` is below the count, so the buffer is not empty.
      posixWrite(descriptor, buffer.baseAddress.unsafelyUnwrapped + start, buffer.count - start)
    }
  }

  private static func failure(_ path: String) -> QueryError {
    QueryError(code: LoadProblem.unreadable.code, String(cString: strerror(errno)), file: path)
  }
}

private func posixWrite(_ descriptor: CInt, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, start, count)
}
