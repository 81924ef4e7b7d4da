/// The version of this package.
public enum GQLiteVersion {
  /// As `gqlite --version` prints it.
  public static let current = "0.1.0"
}
