// Adds a reference to an object, unless its end has begun: then returns null. A part of Swift's stable ABI, which the
// compiler calls for weak references.
void *_Nullable swift_tryRetain(void *_Nonnull object);
