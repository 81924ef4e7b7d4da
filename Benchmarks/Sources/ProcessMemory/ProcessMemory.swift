import CSQLite
import Foundation

/// What the system says about this process's memory.
package enum ProcessMemory {
  /// Bytes of anonymous memory that are resident now, or 0 where the system does not say.
  package static var resident: Int { field("RssAnon") }
  /// Bytes that are resident now, files that are mapped included, of which the program is one; or 0 where the system
  /// does not say.
  package static var whole: Int { field("VmRSS") }
  /// The highest ``whole`` so far.
  package static var peak: Int { field("VmHWM") }

  /// Gives memory that was freed back to the system, where that can be asked for.
  package static func returnFree() {
    #if os(Linux) && canImport(Glibc)
      malloc_trim(0)
    #endif
  }

  private static func field(_ name: String) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
      return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1_024
    }
    return 0
  }
}
