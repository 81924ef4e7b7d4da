/// The registers of one ``ExpressionProgram`` in one run; made by ``ExpressionProgram/makeState()``, kept by the
/// execution. Not for two threads at once.
package final class ExpressionState {
  package init(_ program: ExpressionProgram) {}

  /// Forgets what was computed from parameters, so that the state can serve another run.
  package func reset() {}
}
