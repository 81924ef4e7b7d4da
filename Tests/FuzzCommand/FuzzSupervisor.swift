import Foundation
import Synchronization

/// A starter of workers. It starts a worker again after a crash or a hang, behind the input that caused it.
struct FuzzSupervisor {
  var paths: [String]
  var first: UInt64
  var inputs: UInt64
  var seconds: Int
  var jobs: Int
  var reports: Int
  /// Seconds without progress that count as a hang. Loading the golden data comes before the first input.
  var patience: Double
  /// Inputs at which workers fail on purpose, by option.
  var faults: [String: UInt64]

  private struct Total: Sendable {
    var answered: UInt64 = 0
    var refused: UInt64 = 0
    var reports: [String] = []
  }

  /// Runs all inputs; false if there is something to report.
  func run() throws -> Bool {
    let start = Date()
    let end = seconds > 0 ? start.timeIntervalSince1970 + Double(seconds) : 0
    let total = Mutex(Total())
    DispatchQueue.concurrentPerform(iterations: jobs) { job in
      var next = first + UInt64(job)
      while next < first + inputs {
        let (result, last) = worker(from: next, end: end)
        let isEnough = total.withLock { total in
          total.answered += result.answered
          total.refused += result.refused
          total.reports += result.reports
          return total.reports.count >= reports
        }
        guard let last, !isEnough else { return }
        next = last + UInt64(jobs)
      }
    }
    let result = total.withLock { $0 }
    for report in result.reports.prefix(reports) { print(report) }
    print(
      """
      \(result.answered + result.refused) inputs, \(result.answered) answered, \(result.refused) refused, \
      \(result.reports.count) reports, \(Int(Date().timeIntervalSince(start))) s
      """)
    if !result.reports.isEmpty { print("An input is shown, and run again, by: fuzz --show NUMBER PATH…") }
    return result.reports.isEmpty
  }

  /// Runs one worker to its end. The second result is the input that it did not outlive; nil if it ended well.
  private func worker(from number: UInt64, end: Double) -> (Total, UInt64?) {
    var result = Total()
    let file = NSTemporaryDirectory() + "gqlite-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    guard let progress = SharedProgress(path: file, creates: true) else {
      result.reports.append("no file of progress can be made at \(file)")
      return (result, nil)
    }
    defer { unlink(file) }
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments =
      ["--worker", "\(number),\(first + inputs),\(jobs),\(end),\(file)"] + faults.flatMap { ["--\($0)", "\($1)"] }
      + paths
    var environment = ProcessInfo.processInfo.environment
    // A backtrace of a release build says little, and can take minutes.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    do { try process.run() } catch {
      result.reports.append("the worker does not start: \(error)")
      return (result, nil)
    }
    let isHung = Atomic<Bool>(false)
    let text = Mutex(Data())
    let reading = DispatchGroup()
    DispatchQueue.global().async(group: reading) {
      let data = output.fileHandleForReading.readDataToEndOfFile()
      text.withLock { $0 = data }
    }
    var last = (number: UInt64.max, at: Date())
    while process.isRunning {
      Thread.sleep(forTimeInterval: 0.05)
      let current = progress.words.pointee.current.load(ordering: .acquiring)
      if current != last.number { last = (current, Date()) }
      if Date().timeIntervalSince(last.at) > patience {
        isHung.store(true, ordering: .relaxed)
        kill(process.processIdentifier, SIGKILL)
        break
      }
    }
    process.waitUntilExit()
    reading.wait()
    result.answered = progress.words.pointee.answered.load(ordering: .acquiring)
    result.refused = progress.words.pointee.refused.load(ordering: .acquiring)
    result.reports += text.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\ninput ").map {
      $0.hasPrefix("input ") ? String($0) : "input " + $0
    }
    if progress.words.pointee.isDone.load(ordering: .acquiring) { return (result, nil) }
    let current = progress.words.pointee.current.load(ordering: .acquiring)
    result.reports.append(
      isHung.load(ordering: .relaxed)
        ? "input \(current): no end after \(Int(patience)) s"
        : "input \(current): the process ended with status \(process.terminationStatus)")
    return (result, current)
  }
}
