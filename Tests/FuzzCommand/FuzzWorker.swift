import Foundation
import GQLFuzz

/// A process that runs inputs one after the other and notes in a mapped file which one it runs.
struct FuzzWorker {
  private let paths: [String]
  private let first: UInt64
  private let last: UInt64
  private let step: UInt64
  private let end: Double
  private let progress: SharedProgress
  /// Inputs at which the worker fails on purpose.
  private let crash: UInt64?
  private let hang: UInt64?

  /// - Parameter orders: the first number, the last, the step, the time to end at in seconds since 1970, and the path
  ///   of the file of progress, separated by commas.
  init(paths: [String], orders: String, crash: UInt64?, hang: UInt64?) throws {
    let parts = orders.split(separator: ",", maxSplits: 4).map(String.init)
    guard parts.count == 5, let first = UInt64(parts[0]), let last = UInt64(parts[1]), let step = UInt64(parts[2]),
      let end = Double(parts[3]), let progress = SharedProgress(path: parts[4], creates: false)
    else { throw CocoaError(.coderInvalidValue) }
    self.paths = paths
    (self.crash, self.hang) = (crash, hang)
    (self.first, self.last, self.step, self.end, self.progress) = (first, last, step, end, progress)
  }

  /// More than an input may add to the memory of the process: four times the limit of `serve`.
  private static let memory = 1 << 30
  /// Seconds of processor time that an input may take; its time limit is two.
  private static let seconds = 6.0

  func run() throws {
    let corpus = try FuzzCorpus(paths: paths)
    let mutator = DocumentMutator(corpus)
    let runner = FuzzRunner(corpus)
    var number = first
    var peak = Self.peakMemory()
    while number < last {
      progress.words.pointee.current.store(number, ordering: .releasing)
      if number == crash { abort() }
      while number == hang { sleep(1) }
      let input = mutator.input(number)
      let start = Self.threadTime()
      let outcome = runner.run(input)
      let seconds = Self.threadTime() - start
      let after = Self.peakMemory()
      switch outcome {
      case .answered: progress.words.pointee.answered.add(1, ordering: .relaxed)
      case .refused: progress.words.pointee.refused.add(1, ordering: .relaxed)
      case .wrong(let fault): report(number, fault)
      }
      if seconds > Self.seconds { report(number, "it took \(seconds) s of processor time") }
      if after - peak > Self.memory { report(number, "it took \((after - peak) >> 20) MiB of memory") }
      peak = after
      number += step
      if number / step % 64 == 0, end > 0, Date().timeIntervalSince1970 > end { break }
    }
    progress.words.pointee.current.store(number, ordering: .releasing)
    progress.words.pointee.isDone.store(true, ordering: .releasing)
  }

  private func report(_ number: UInt64, _ fault: String) {
    FileHandle.standardOutput.write(Data("input \(number): \(fault)\n".utf8))
  }

  /// Processor time of this thread in seconds.
  private static func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The most memory that the process has had, in bytes.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #else
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}
