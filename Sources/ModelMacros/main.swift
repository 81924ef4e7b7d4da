import GQLModelMacroExpansion

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// The compiler starts this program, asks it to expand macros over standard input and output, and closes them.
exit(PluginConnection().serve() == .closed ? 0 : 1)
