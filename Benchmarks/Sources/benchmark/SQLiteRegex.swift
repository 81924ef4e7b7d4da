import CRegex
import CSQLite

extension SQLiteDatabase {
  /// Gives SQLite its `REGEXP`: PCRE2 with just-in-time code, a pattern compiled once a statement.
  func addRegex() throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    guard sqlite3_create_function_v2(connection, "regexp", 2, flags, nil, regexp, nil, nil, nil) == SQLITE_OK else {
      throw Failure("SQLite takes no REGEXP")
    }
  }
}

/// A compiled pattern with room for its matches.
private final class CompiledPattern {
  let code: OpaquePointer
  let match: OpaquePointer

  init?(_ pattern: UnsafePointer<UInt8>, _ length: Int) {
    var problem: Int32 = 0
    var offset = 0
    guard let code = pcre2_compile_8(pattern, length, PCRE2_UTF, &problem, &offset, nil),
      let match = pcre2_match_data_create_from_pattern_8(code, nil)
    else { return nil }
    pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
    self.code = code
    self.match = match
  }

  deinit {
    pcre2_match_data_free_8(match)
    pcre2_code_free_8(code)
  }
}

/// `text REGEXP pattern` calls it with the pattern first.
private func regexp(
  _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let values, let pattern = sqlite3_value_text(values[0]), let text = sqlite3_value_text(values[1]) else {
    return sqlite3_result_null(context)
  }
  let compiled: CompiledPattern
  if let known = sqlite3_get_auxdata(context, 0) {
    compiled = Unmanaged<CompiledPattern>.fromOpaque(known).takeUnretainedValue()
  } else {
    guard let made = CompiledPattern(pattern, Int(sqlite3_value_bytes(values[0]))) else {
      return sqlite3_result_error(context, "no pattern", -1)
    }
    compiled = made
    sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(made).toOpaque()) { known in
      if let known { Unmanaged<CompiledPattern>.fromOpaque(known).release() }
    }
  }
  let found = pcre2_jit_match_8(
    compiled.code, text, Int(sqlite3_value_bytes(values[1])), 0, 0, compiled.match, nil)
  sqlite3_result_int(context, found >= 0 ? 1 : 0)
}
