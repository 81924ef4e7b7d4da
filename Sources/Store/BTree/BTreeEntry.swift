/// One entry of a B-tree: an image of the key's first component that orders like it, and the row.
struct BTreeEntry {
  var image: UInt64
  var row: UInt32
}
