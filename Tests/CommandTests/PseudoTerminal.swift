import Foundation
import Testing

#if os(Linux) && canImport(Glibc)
  import Glibc

  /// A terminal that a test reads.
  final class PseudoTerminal {
    private let controller: CInt
    private let terminal: CInt

    init(columns: UInt16) throws {
      controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      // TIOCSPTLCK and TIOCGPTN: the terminal is open to others, and has this number.
      var isLocked: CInt = 0
      var number: CInt = -1
      try #require(controller >= 0 && ioctl(controller, 0x4004_5431, &isLocked) == 0)
      try #require(ioctl(controller, 0x8004_5430, &number) == 0)
      var size = winsize(ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      try #require(terminal >= 0 && ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit {
      close(terminal)
      close(controller)
    }

    /// A stream that a process writes to.
    var file: FileHandle { FileHandle(fileDescriptor: terminal, closeOnDealloc: false) }

    /// Returns what was written; what is short waits in the terminal.
    func read() -> String {
      var bytes = [UInt8](repeating: 0, count: 1 << 12)
      let count = Glibc.read(controller, &bytes, bytes.count)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }
#endif
