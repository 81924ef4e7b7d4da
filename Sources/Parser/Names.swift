/// True for GraphQL's `Name`, which needs no backquotes.
func isPlainName(_ text: String) -> Bool {
  var isFirst = true
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
    case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
    default: return false
    }
    isFirst = false
  }
  return !isFirst
}
