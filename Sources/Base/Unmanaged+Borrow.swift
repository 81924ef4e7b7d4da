extension Unmanaged {
  /// Calls a function with the object, without counting that it is used: counting takes longer than most steps of a
  /// query that looks at few rows.
  ///
  /// Precondition: the caller knows of somebody who keeps the object until the function returns, as an operator keeps its
  /// parts and an execution its states.
  @inlinable @inline(__always)
  package func borrow<Output, Failure: Error>(
    _ body: (Instance) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    let outcome: Result<Output, Failure> = _withUnsafeGuaranteedRef { object in
      do throws(Failure) { return .success(try body(object)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}
