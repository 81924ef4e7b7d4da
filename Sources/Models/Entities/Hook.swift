import Synchronization

/// What an entity type may want to be told.
enum Hook: UInt8, CaseIterable {
  case willSave, didSave, saveMetadata, willDelete, didDelete, deleteMetadata
  /// No hook, but asked as one is: nil keeps nothing of the entity.
  case asDeleted = 7

  /// The bit beside those of the hooks which says that metadata were kept.
  static let metadata: UInt8 = 1 << 6
}

/// Which hooks of a type have turned out to be the defaults, which do nothing.
///
/// Whether a type has a hook of its own cannot be asked for; so each is called once, and the defaults tell.
final class HookKnowledge: Sendable {
  let type: ObjectIdentifier
  /// Of the type.
  let name: String
  private let idle = Atomic<UInt8>(0)

  init(of type: Any.Type) {
    self.type = ObjectIdentifier(type)
    name = "\(type)"
  }

  func isIdle(_ hook: Hook) -> Bool { idle.load(ordering: .relaxed) & (1 << hook.rawValue) != 0 }
  func noteIdle(_ hook: Hook) { _ = idle.bitwiseOr(1 << hook.rawValue, ordering: .relaxed) }

  /// Whether there are metadata of its entities: its `saveMetadata` was seen to keep some, or was not called yet.
  var keepsMetadata: Bool { metadata.load(ordering: .relaxed) != 1 }

  /// Says whether a call of `saveMetadata` has kept some: a type that does so once, does.
  func noteMetadata(isKept: Bool) {
    if isKept {
      metadata.store(2, ordering: .relaxed)
    } else {
      _ = metadata.compareExchange(expected: 0, desired: 1, ordering: .relaxed)
    }
  }
  /// 0 before the first call, 1 where none were kept so far, 2 for good where some were.
  private let metadata = Atomic<UInt8>(0)

  /// Whether saving calls nothing of the program.
  var savesQuietly: Bool { idle.load(ordering: .relaxed) & 0b000111 == 0b000111 }
  /// Whether deleting calls nothing of the program.
  var deletesQuietly: Bool { idle.load(ordering: .relaxed) & 0b1011_1000 == 0b1011_1000 }
}
