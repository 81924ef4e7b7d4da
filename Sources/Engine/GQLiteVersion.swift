/// The version of this package.
public enum GQLiteVersion {
  /// Gives the version as `gqlite --version` prints it.
  public static let current = "0.1.0"
}
