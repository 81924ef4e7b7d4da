import Foundation

/// What the system says about this process's memory.
enum ProcessMemory {
  /// Bytes of anonymous memory that are resident now, or 0 where the system does not say.
  static var resident: Int { field("RssAnon") }
  /// The highest resident size so far, files that are mapped included.
  static var peak: Int { field("VmHWM") }

  private static func field(_ name: String) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
      return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1_024
    }
    return 0
  }
}
