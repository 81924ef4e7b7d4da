import Synchronization

/// What an entity type may want to be told.
enum Hook: UInt8, CaseIterable {
  case willSave, didSave, saveMetadata, willDelete, didDelete, deleteMetadata

  /// The bit beside those of the hooks which says that metadata were kept.
  static let metadata: UInt8 = 1 << 6
}

/// Which hooks of a type have turned out to be the defaults, which do nothing.
///
/// Whether a type has a hook of its own cannot be asked for; so each is called once, and the defaults tell.
final class HookKnowledge: Sendable {
  let type: ObjectIdentifier
  private let idle = Atomic<UInt8>(0)

  init(of type: Any.Type) { self.type = ObjectIdentifier(type) }

  func isIdle(_ hook: Hook) -> Bool { idle.load(ordering: .relaxed) & (1 << hook.rawValue) != 0 }
  func noteIdle(_ hook: Hook) { _ = idle.bitwiseOr(1 << hook.rawValue, ordering: .relaxed) }

  /// Whether there are metadata of its entities: its `saveMetadata` was not seen to keep none.
  var keepsMetadata: Bool {
    get { metadata.load(ordering: .relaxed) }
    set { metadata.store(newValue, ordering: .relaxed) }
  }
  private let metadata = Atomic<Bool>(true)

  /// Whether saving calls nothing of the program.
  var savesQuietly: Bool { idle.load(ordering: .relaxed) & 0b000111 == 0b000111 }
  /// Whether deleting calls nothing of the program.
  var deletesQuietly: Bool { idle.load(ordering: .relaxed) & 0b111000 == 0b111000 }
}
