/// Full Unicode case folding in the form in which the store takes it.
@Sendable package func foldText(_ bytes: UnsafeRawBufferPointer, _ folded: inout ContiguousArray<UInt8>) {
  var result: [UInt8] = []
  CaseFolding.fold(bytes.bindMemory(to: UInt8.self), into: &result)
  folded.append(contentsOf: result)
}
