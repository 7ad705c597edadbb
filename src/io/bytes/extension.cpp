// The extension of a file, by which its format is recognized.
#include <pelt/io/extension.h>

#include <cctype>

namespace pelt::io {

std::string extensionOf(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

}  // namespace pelt::io
