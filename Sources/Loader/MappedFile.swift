#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The bytes of a file or of an array, at one address until the object goes.
///
/// Files are mapped, not read: a load touches each byte once. A file that shrinks while it is mapped ends the process
/// on any system; regular files are therefore read into memory if they are small enough for that not to matter.
package final class MappedFile: @unchecked Sendable {
  /// Why a path could not be read.
  package struct Failure: Error { package let message: String }

  package let name: String
  package let bytes: UnsafeBufferPointer<UInt8>
  private let memory: UnsafeMutableRawPointer?
  private let isMapping: Bool

  init(name: String, bytes: [UInt8]) {
    self.name = name
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    _ = copy.initialize(from: bytes)
    self.bytes = UnsafeBufferPointer(start: copy.baseAddress, count: bytes.count)
    memory = UnsafeMutableRawPointer(copy.baseAddress)
    isMapping = false
  }

  /// Takes over expanded bytes.
  init(name: String, _ expanded: ExpandedBytes) {
    self.name = name
    let start = expanded.take()
    memory = start
    bytes = UnsafeBufferPointer(start: UnsafePointer(start.assumingMemoryBound(to: UInt8.self)), count: expanded.count)
    isMapping = false
  }

  /// Reads a whole regular file, or anything else that can be read to its end.
  package init(path: String) throws(Failure) {
    name = path
    // The system would see the name end there.
    guard !path.utf8.contains(0) else { throw Failure(message: "a name with U+0000 in it") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(message: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(message: String(cString: strerror(errno))) }
    if status.st_mode & S_IFMT == S_IFDIR { throw Failure(message: "is a directory") }
    let size = Int(status.st_size)
    if status.st_mode & S_IFMT == S_IFREG, size > Self.readLimit {
      guard let mapping = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), mapping != MAP_FAILED else {
        throw Failure(message: String(cString: strerror(errno)))
      }
      madvise(mapping, size, MADV_SEQUENTIAL)
      memory = mapping
      isMapping = true
      bytes = UnsafeBufferPointer(start: UnsafePointer(mapping.assumingMemoryBound(to: UInt8.self)), count: size)
      return
    }
    var capacity = max(size + 1, 4096)
    var buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    var count = 0
    while true {
      if count == capacity {
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2, alignment: 16)
        grown.copyMemory(from: buffer, byteCount: count)
        buffer.deallocate()
        buffer = grown
        capacity *= 2
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
    }
    memory = buffer
    isMapping = false
    bytes = UnsafeBufferPointer(start: UnsafePointer(buffer.assumingMemoryBound(to: UInt8.self)), count: count)
  }

  deinit {
    guard let memory else { return }
    if isMapping { munmap(memory, bytes.count) } else { memory.deallocate() }
  }

  private static let readLimit = 16 << 20

  private static func readSome(_ descriptor: CInt, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, start, count)
  }

  /// The names in a directory, sorted by bytes; nil if the path is no directory.
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
