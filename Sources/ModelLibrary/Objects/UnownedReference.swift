import CSwiftRuntime

/// A reference to an object that does not keep it.
///
/// It is as a weak reference is, but for one thing: it has to be taken away when the object ends. For that, both sides take
/// one lock: ``object`` is read under it, and the object's `deinit` takes it before its memory is freed. So the memory is
/// there whenever it is read, and the count of references says whether the object is ending.
///
/// A weak reference would give its object a second block of memory, in which its references are counted from then on.
/// Each use of the object would take some 30 nanoseconds more, a third of reading a property.
struct UnownedReference<Object: AnyObject> {
  private let address: UnsafeMutableRawPointer

  init(_ object: Object) { address = Unmanaged.passUnretained(object).toOpaque() }

  /// The object; nil where its end has begun.
  var object: Object? {
    guard swift_tryRetain(address) != nil else { return nil }
    return Unmanaged<Object>.fromOpaque(address).takeRetainedValue()
  }

  /// Indicates whether it leads to an object.
  func leads(to object: Object) -> Bool { address == Unmanaged.passUnretained(object).toOpaque() }
}
