# Writes HEADER with the contents of TEXT as `attnc::libraryText`.
file(READ ${TEXT} text)
file(WRITE ${HEADER} "// The text of attnc.attn.
#include \"llvm/ADT/StringRef.h\"

namespace attnc {
inline constexpr llvm::StringLiteral libraryText = R\"ATTN(${text})ATTN\";
} // namespace attnc
")
