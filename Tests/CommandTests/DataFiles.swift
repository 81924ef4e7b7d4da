import Foundation
import Testing

/// Files of data in bytes, for tests that damage them.
enum DataFiles {
  /// `{"id": 1, "name": "Ada"}` and `{"id": 2, "name": "Bob"}`, each a line and a member, by the gzip module of Python.
  static let gzip = bytes(
    "H4sIAAAAAAACA6tWykxRslIw1FFQykvMTQUylRxTEpVquQAfOY3WGQAAAB+LCAAAAAAAAgOrVspMUbJSMNJRUMpLzE0FMpWc8pOUarkALAj63xkAAAA="
  )
  /// The same by the tool zstd.
  static let zstd = bytes(
    "KLUv/QRYyQAAeyJpZCI6IDEsICJuYW1lIjogIkFkYSJ9CodnizYotS/9BFjJAAB7ImlkIjogMiwgIm5hbWUiOiAiQm9iIn0KkExgNg==")

  /// `t(id INTEGER PRIMARY KEY, s TEXT, b BLOB, t REFERENCES t)` with two rows, in pages of 512 bytes.
  static let sqlite = bytes(
    """
    U1FMaXRlIGZvcm1hdCAzAAIAAQEAQCAgAAAAAwAAAAIAAAAAAAAAAAAAAAIAAAAEAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAADAC5jAQ0AAAABAawAAawAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSAQcXDw8BgRN0YWJsZXR0AkNSRUFU
    RSBUQUJMRSB0KGlkIElOVEVHRVIgUFJJTUFSWSBLRVkscyBURVhULGIgQkxPQix0IFJFRkVSRU5DRVMgdCkNAAAAAgHoAAHzAegA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkCBQAVAAB6d2VpCwEFABMQAW9uZQD/Ag==
    """)

  private static func bytes(_ base64: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
  }

  /// A gzip member that is as long as what it holds, a multiple of 65,535 zeros, and so is quickly made.
  static func storedZeros(blocks: Int, line: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var checksum: UInt32 = 0xFFFF_FFFF
    for number in 0..<blocks {
      var block = [UInt8](repeating: UInt8(ascii: " "), count: 65_535)
      if number == blocks - 1 { block.replaceSubrange((65_535 - line.count)..., with: line) }
      for byte in block {
        checksum ^= UInt32(byte)
        for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
      }
      result += [number == blocks - 1 ? 1 : 0, 0xFF, 0xFF, 0, 0] + block
    }
    for word in [~checksum, UInt32(blocks * 65_535)] {
      for shift in [0, 8, 16, 24] { result.append(UInt8(word >> shift & 255)) }
    }
    return result
  }
}

extension Scratch {
  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: url.appending(path: name))
  }
}
