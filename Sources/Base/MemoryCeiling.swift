#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory that the process may have where nothing else is said: 75 % of the smallest of the machine's memory, the
/// limit of the process's control group, and the limit of its address space.
///
/// Without it, a run that outgrows the machine ends the process, or makes the system end another one.
package enum MemoryCeiling {
  /// Bytes. Computed once.
  package static let bytes: Int = {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let pageSize = sysconf(Int32(_SC_PAGESIZE))
    let physical = pages > 0 && pageSize > 0 ? Int(pages) &* Int(pageSize) : Int.max
    return min(physical, controlGroupLimit(inFolder: "/sys/fs/cgroup"), addressSpaceLimit) / 4 * 3
  }()

  /// What `ulimit -v` has set; `Int.max` where there is no limit.
  private static var addressSpaceLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let kind = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
      let kind = RLIMIT_AS
    #endif
    guard getrlimit(kind, &limit) == 0 else { return Int.max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Returns the smallest limit of the process's control group and those around it; `Int.max` where there is none.
  ///
  /// Of version 2 each folder on the way has a file `memory.max`, of version 1 one `memory.limit_in_bytes`.
  package static func controlGroupLimit(inFolder root: String, groups: String? = nil) -> Int {
    var limit = Int.max
    let lines = (groups ?? text(ofFile: "/proc/self/cgroup") ?? "").split(separator: "\n")
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isSecond = parts[1].isEmpty
      guard isSecond || parts[1].split(separator: ",").contains("memory") else { continue }
      let base = isSecond ? root : root + "/memory"
      let name = isSecond ? "memory.max" : "memory.limit_in_bytes"
      var folder = base
      // In a container the process may see its group as the root, whatever the file says.
      for step in [""] + parts[2].split(separator: "/").map(String.init) {
        if !step.isEmpty { folder += "/" + step }
        if let value = text(ofFile: folder + "/" + name).flatMap(number) { limit = min(limit, value) }
      }
    }
    return limit
  }

  /// Bytes of memory that the process has now; nil where the system does not tell. Takes about a microsecond.
  package static var resident: Int? {
    #if canImport(Darwin)
      var info = mach_task_basic_info()
      var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &info) { pointer in
        pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
        }
      }
      return result == KERN_SUCCESS ? Int(info.resident_size) : nil
    #else
      guard let fields = text(ofFile: "/proc/self/statm")?.split(separator: " "), fields.count > 1,
        let pages = Int(fields[1])
      else { return nil }
      return pages &* Int(sysconf(Int32(_SC_PAGESIZE)))
    #endif
  }

  /// Returns whether the process would pass the ceiling by taking so many bytes more.
  package static func isReached(taking bytes: Int) -> Bool {
    (resident ?? 0) > Self.bytes - min(bytes, Int.max / 2)
  }

  private static func number(_ text: String) -> Int? {
    Int(text.prefix { $0.isNumber })
  }

  /// The first 4,096 bytes of a file, as text.
  private static func text(ofFile path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
