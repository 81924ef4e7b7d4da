extension SocialNetwork {
  /// The entity types, each with its NDJSON: one object a line, relations as ids or lists of ids.
  package func ndjson() -> [(type: String, bytes: [UInt8])] {
    [("User", userLines()), ("Chat", chatLines()), ("Message", messageLines())]
  }

  private func userLines() -> [UInt8] {
    var line = LineWriter(capacity: users.score.count * 400)
    for row in 0..<users.score.count {
      line.integer("{\"id\":", row + 1)
      line.text(",\"email\":", users.email, row)
      line.text(",\"firstName\":", users.firstName, row)
      line.text(",\"lastName\":", users.lastName, row)
      line.text(",\"city\":", users.city, row)
      line.text(",\"zip\":", users.zip, row)
      if let age = users.age[row] { line.integer(",\"age\":", age) } else { line.raw(",\"age\":null") }
      line.integer(",\"score\":", users.score[row])
      line.raw(",\"status\":\"\(SocialNetwork.statuses[users.status[row]])\"")
      line.moment(",\"createdAt\":", users.createdAt[row])
      if users.hasBio[row] { line.text(",\"bio\":", users.bio, row) } else { line.raw(",\"bio\":null") }
      line.ids(",\"chats\":", users.chats[row])
      line.ids(",\"friends\":", users.friends[row])
      line.raw("}\n")
    }
    return line.bytes
  }

  private func chatLines() -> [UInt8] {
    var line = LineWriter(capacity: chats.createdAt.count * 100)
    for row in 0..<chats.createdAt.count {
      line.integer("{\"id\":", row + 1)
      line.text(",\"title\":", chats.title, row)
      line.moment(",\"createdAt\":", chats.createdAt[row])
      line.raw("}\n")
    }
    return line.bytes
  }

  private func messageLines() -> [UInt8] {
    var line = LineWriter(capacity: messages.likes.count * 160)
    for row in 0..<messages.likes.count {
      line.integer("{\"id\":", row + 1)
      line.text(",\"text\":", messages.text, row)
      line.integer(",\"likes\":", messages.likes[row])
      line.moment(",\"createdAt\":", messages.createdAt[row])
      line.integer(",\"author\":", Int(messages.author[row]))
      line.integer(",\"chat\":", Int(messages.chat[row]))
      if messages.replyTo[row] > 0 {
        line.integer(",\"replyTo\":", Int(messages.replyTo[row]))
      } else {
        line.raw(",\"replyTo\":null")
      }
      line.raw("}\n")
    }
    return line.bytes
  }
}

/// Appends members of JSON objects to one buffer.
private struct LineWriter {
  var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func integer(_ key: StaticString, _ value: Int) {
    self.key(key)
    digits(value)
  }

  mutating func moment(_ key: StaticString, _ seconds: Int) {
    self.key(key)
    bytes.append(UInt8(ascii: "\""))
    Timestamp.write(seconds, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func text(_ key: StaticString, _ column: TextColumn, _ row: Int) {
    self.key(key)
    bytes.append(UInt8(ascii: "\""))
    for byte in column.bytes[column.range(row)] {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): raw("\\n")
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func ids(_ key: StaticString, _ ids: [Int32]) {
    self.key(key)
    bytes.append(UInt8(ascii: "["))
    for (position, id) in ids.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      digits(Int(id))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func key(_ key: StaticString) {
    key.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func digits(_ value: Int) {
    let start = bytes.count
    var rest = value
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }
}
