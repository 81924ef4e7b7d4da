import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One run of a command: its output, and what it took.
struct ChildProcess {
  struct Failure: Error, CustomStringConvertible { let description: String }

  let output: String
  let seconds: Double
  /// Of all its processors together.
  let processorSeconds: Double
  let peakBytes: Int

  /// Runs a command to its end. Its errors go where ours go.
  init(_ arguments: [String]) throws {
    var pipeEnds: [CInt] = [0, 0]
    guard pipe(&pipeEnds) == 0 else { throw Failure(description: "no pipe") }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], 1)
    posix_spawn_file_actions_addclose(&actions, pipeEnds[0])
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    let clock = ContinuousClock()
    let start = clock.now
    var child: pid_t = 0
    guard posix_spawnp(&child, arguments[0], &actions, nil, words, environ) == 0 else {
      throw Failure(description: "'\(arguments[0])' cannot be run")
    }
    close(pipeEnds[1])
    let handle = FileHandle(fileDescriptor: pipeEnds[0], closeOnDealloc: true)
    let bytes = try handle.readToEnd() ?? Data()
    var status: CInt = 0
    var usage = rusage()
    guard wait4(child, &status, 0, &usage) == child, status == 0 else {
      throw Failure(description: "'\(arguments.joined(separator: " "))' fails")
    }
    let elapsed = (clock.now - start).components
    output = String(decoding: bytes, as: UTF8.self)
    seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    processorSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    #if canImport(Darwin)
      peakBytes = usage.ru_maxrss
    #else
      peakBytes = usage.ru_maxrss * 1024
    #endif
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
