import GQLBase
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file or an array as bytes, at one address until the object goes.
///
/// Files are mapped, not read: a load touches each byte once. A file that shrinks while it is mapped ends the process
/// on any system; regular files are therefore read into memory if they are small enough for that not to matter.
package final class MappedFile: @unchecked Sendable {
  /// A reason why a path could not be read.
  package struct Failure: Error { package let message: String }

  package let name: String
  /// True for a table without a text: its records are told by their numbers.
  let isMadeOfRows: Bool
  /// Holds the bytes that there are to read.
  let size: Int
  package let bytes: UnsafeBufferPointer<UInt8>
  private let memory: UnsafeMutableRawPointer?
  private let owner: Owner

  private enum Owner { case allocation, buffer, mapping }

  init(name: String, bytes: [UInt8]) {
    self.name = name
    isMadeOfRows = false
    size = bytes.count
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    _ = copy.initialize(from: bytes)
    self.bytes = UnsafeBufferPointer(start: copy.baseAddress, count: bytes.count)
    memory = UnsafeMutableRawPointer(copy.baseAddress)
    owner = .allocation
  }

  /// Takes over the bytes of a buffer, which is empty afterwards.
  init(name: String, taking buffer: inout ByteBuffer) {
    self.name = name
    isMadeOfRows = false
    let count = buffer.count
    size = count
    let start = buffer.takeMemory()
    memory = start
    bytes = UnsafeBufferPointer(start: UnsafePointer(start.assumingMemoryBound(to: UInt8.self)), count: count)
    owner = .buffer
  }

  /// A table whose rows are read from elsewhere, of about so many bytes.
  init(rowsNamed name: String, size: Int) {
    self.name = name
    isMadeOfRows = true
    self.size = size
    memory = nil
    bytes = UnsafeBufferPointer(start: nil, count: 0)
    owner = .allocation
  }

  /// Reads a regular file, or one of the process's own streams.
  ///
  /// Directories, devices, sockets and FIFOs are refused without waiting for them. A stream is named as `/dev/stdin` or
  /// `/dev/fd/N`, as shells do for `<(…)`; it is read to its end.
  ///
  /// - Parameters:
  ///   - name: The name of the file in messages.
  ///   - most: The bytes that the caller takes. One more is read, from which the caller sees that there are more.
  ///   - root: A folder as `realpath` gives it, which the file must lie in after its links are followed.
  ///   - watch: What may end the reading of a stream before its end.
  package init(
    path: String, shownAs name: String? = nil, atMost most: Int = .max - 1, within root: String? = nil,
    _ watch: LoadWatch = LoadWatch()
  ) throws(Failure) {
    self.name = name ?? path
    isMadeOfRows = false
    // The system would see the name end there.
    guard !path.utf8.contains(0) else { throw Failure(message: "a name with U+0000 in it") }
    let stream = root == nil ? Self.stream(named: path) : nil
    // Without waiting: nobody may ever write into a FIFO.
    let descriptor = stream.map { dup($0) } ?? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(message: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(message: String(cString: strerror(errno))) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { throw Failure(message: "is a directory") }
    guard kind == S_IFREG || stream != nil else {
      throw Failure(message: "is \(Self.word(of: kind)), not a file")
    }
    if let root, !Self.isInside(descriptor, root) { throw Failure(message: Self.outside) }
    let size = stream == nil ? Int(status.st_size) : 0
    if size > Self.readLimit, most >= size {
      guard let mapping = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), mapping != MAP_FAILED else {
        throw Failure(message: String(cString: strerror(errno)))
      }
      madvise(mapping, size, MADV_SEQUENTIAL)
      memory = mapping
      owner = .mapping
      self.size = size
      bytes = UnsafeBufferPointer(start: UnsafePointer(mapping.assumingMemoryBound(to: UInt8.self)), count: size)
      return
    }
    let wanted = most + 1
    var capacity = min(max(size + 1, 4096), wanted)
    var buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    var count = 0
    while count < wanted {
      if count == capacity {
        let next = min(capacity * 2, wanted)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: next, alignment: 16)
        grown.copyMemory(from: buffer, byteCount: count)
        buffer.deallocate()
        buffer = grown
        capacity = next
      }
      let got = Self.readSome(descriptor, buffer + count, capacity - count)
      if got < 0, errno == EINTR { continue }
      if got < 0 {
        let message = String(cString: strerror(errno))
        buffer.deallocate()
        throw Failure(message: message)
      }
      if got == 0 { break }
      count += got
      if stream == nil { continue }
      watch.interruption?.take(got)
      if count & 0xFFFFF < got { watch.tellOpening(self.name) }
      if watch.isDue {
        buffer.deallocate()
        throw Failure(message: "interrupted")
      }
    }
    memory = buffer
    owner = .allocation
    self.size = count
    bytes = UnsafeBufferPointer(start: UnsafePointer(buffer.assumingMemoryBound(to: UInt8.self)), count: count)
  }

  /// Gives the memory of what was read back to the system, if it is mapped: what is read again comes from the file.
  func release(upTo position: Int) {
    let before = released.load(ordering: .relaxed)
    let end = position & ~(Self.releasedAtOnce - 1)
    // Who reads again begins at the front.
    guard owner == .mapping, let memory, before != end else { return }
    released.store(end, ordering: .relaxed)
    if before < end { madvise(memory + before, end - before, MADV_DONTNEED) }
  }

  /// Up to where memory was given back.
  private let released = Atomic<Int>(0)
  private static let releasedAtOnce = 1 << 21

  deinit {
    guard let memory else { return }
    switch owner {
    case .allocation: memory.deallocate()
    case .buffer: free(memory)
    case .mapping: munmap(memory, bytes.count)
    }
  }

  private static let readLimit = 16 << 20

  /// Holds the message for a file that lies outside the folder it must lie in. It does not say whether there is such a
  /// file.
  package static let outside = "is not in the folder that data may come from"

  /// Returns the descriptor that a path of a stream names.
  package static func stream(named path: String) -> CInt? {
    if path == "/dev/stdin" { return 0 }
    if path == "/dev/stdout" { return 1 }
    if path == "/dev/stderr" { return 2 }
    for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
      return CInt(path.dropFirst(prefix.count))
    }
    return nil
  }

  private static func word(of kind: mode_t) -> String {
    switch kind {
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  /// Returns whether an open file lies in a folder, however its name led there.
  private static func isInside(_ descriptor: CInt, _ root: String) -> Bool {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    #if canImport(Darwin)
      guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return false }
    #else
      guard readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1) > 0 else { return false }
    #endif
    return isInside(String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), root)
  }

  private static func isInside(_ path: String, _ root: String) -> Bool {
    root == "/" || path == root || path.hasPrefix(root + "/")
  }

  /// Returns the path of what a name leads to, its links followed; nil if there is nothing.
  package static func resolved(_ path: String) -> String? {
    guard !path.utf8.contains(0), let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Returns whether a name leads to something in a folder that ``resolved(_:)`` gave.
  package static func leads(_ path: String, into root: String) -> Bool {
    resolved(path).map { isInside($0, root) } ?? false
  }

  private static func readSome(_ descriptor: CInt, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, start, count)
  }

  /// Returns whether a path leads to a folder.
  package static func isFolder(_ path: String, followsLinks: Bool) -> Bool {
    guard !path.utf8.contains(0) else { return false }
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns whether a path leads to a file, rather than to a folder, a device or a FIFO.
  package static func isFile(_ path: String) -> Bool {
    guard !path.utf8.contains(0) else { return false }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns whether a path is that of a file itself, rather than of a link to one.
  package static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns whether there is something of that name.
  package static func exists(_ path: String) -> Bool { !path.utf8.contains(0) && access(path, F_OK) == 0 }

  /// Returns the names in a directory, sorted by bytes; nil if the path is no directory.
  package static func directoryEntries(_ path: String) -> [String]? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
