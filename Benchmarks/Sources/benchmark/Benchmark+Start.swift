import Foundation

extension Benchmark {
  /// Time from the start of the command to the first byte of its answer, on the example that ships with the repository.
  func reportStart(of command: String) throws {
    let example = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Examples/people/tour.query").standardizedFileURL.path
    let clock = ContinuousClock()
    var measurement = Measurement()
    for round in 0..<31 {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(filePath: command)
      process.arguments = ["run", "--format", "json", example]
      process.standardOutput = pipe
      let start = clock.now
      try process.run()
      let first = try pipe.fileHandleForReading.read(upToCount: 1)
      let elapsed = clock.now - start
      _ = try pipe.fileHandleForReading.readToEnd()
      process.waitUntilExit()
      guard first?.count == 1, process.terminationStatus == 0 else { throw Failure("\(command) fails on \(example)") }
      // The first rounds fill the file cache.
      if round >= 3 { measurement.add(elapsed.nanoseconds) }
    }
    if options.isJSON {
      print("{\"name\":\"start\",\"gqlite_ns\":\(rounded(measurement.median))}")
    }
    report.note(
      "start to first byte: median \(duration(measurement.median)), minimum \(duration(measurement.minimum)), "
        + "goal at most 15 ms: \(measurement.median <= 15e6 ? "met" : "NOT MET")")
  }
}
