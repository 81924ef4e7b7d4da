import Foundation
import Synchronization

/// A program of this package that runs beside this one, and what it says.
package final class ChildProcess: Sendable {
  private let process = Process()
  private let reading = DispatchGroup()
  private let text = Mutex(Data())
  private let hasSpoken = DispatchSemaphore(value: 0)
  /// One after the other, so that no process gets the pipe of another one.
  private static let starting = Mutex(())

  package init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = Proofs.program(program)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let pipe = try Self.starting.withLock { _ in
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      // A thread of Dispatch blocks signals, and hands that on to what it starts.
      var (none, before) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try process.run()
      try? pipe.fileHandleForWriting.close()
      return pipe
    }
    DispatchQueue.global().async(group: reading) { [self] in
      while true {
        let data = pipe.fileHandleForReading.availableData
        text.withLock { $0 += data }
        hasSpoken.signal()
        if data.isEmpty { return }
      }
    }
  }

  /// Starts this package's program of proofs with a task.
  package static func task(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess("storageproof", ["task"] + arguments)
  }

  /// Waits until it has said something, or has ended.
  package func waitForOutput() { hasSpoken.wait() }

  package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end; returns all that it has said.
  package func output() -> String {
    reading.wait()
    process.waitUntilExit()
    return text.withLock { String(decoding: $0, as: UTF8.self) }
  }

  /// The status with which it has ended; nil where a signal has ended it.
  package var status: Int32? { process.terminationReason == .exit ? process.terminationStatus : nil }
  /// The signal that has ended it.
  package var endSignal: Int32? { process.terminationReason == .exit ? nil : process.terminationStatus }
}
