// Adds a reference to an object, unless its end has begun: then returns null. The runtime exports it as a part of Swift's
// stable ABI.
void *_Nullable swift_tryRetain(void *_Nonnull object);
