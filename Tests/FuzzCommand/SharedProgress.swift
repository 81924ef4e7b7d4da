import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The progress of a worker in a mapped file, which outlives a crash of the worker.
final class SharedProgress {
  /// The words of the file.
  struct Words: ~Copyable {
    let current = Atomic<UInt64>(0)
    let answered = Atomic<UInt64>(0)
    let refused = Atomic<UInt64>(0)
    let isDone = Atomic<Bool>(false)
  }

  private let address: UnsafeMutableRawPointer
  private static let size = MemoryLayout<Words>.stride

  /// Maps the file at `path`; makes it where `creates` says so.
  init?(path: String, creates: Bool) {
    let descriptor = open(path, creates ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    if creates, ftruncate(descriptor, off_t(Self.size)) != 0 { return nil }
    guard let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED
    else { return nil }
    address = mapped
    // The file has as many bytes as the words, and pages are aligned more strictly than any of them.
    if creates { mapped.bindMemory(to: Words.self, capacity: 1).initialize(to: Words()) }
  }

  deinit { munmap(address, Self.size) }

  var words: UnsafeMutablePointer<Words> { address.assumingMemoryBound(to: Words.self) }
}
