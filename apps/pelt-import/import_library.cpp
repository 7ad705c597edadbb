// Loads assimp when a file needs it, and reads a scene with it.
#include "import_library.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <new>

namespace pelt::importer {
namespace {

/// The functions of assimp's C interface that are used here.
struct ImportLibrary {
    decltype(&aiCreatePropertyStore) create_properties;
    decltype(&aiSetImportPropertyInteger) set_integer;
    decltype(&aiImportFileFromMemoryWithProperties) import_file;
    decltype(&aiGetErrorString) error_string;
    decltype(&aiGetMaterialString) material_string;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (!function) throw Error::system(fmt::format("the library {} has no {}", PELT_ASSIMP, name));
}

ImportLibrary openLibrary() {
    void* library = ::dlopen(PELT_ASSIMP, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw Error::system(
            fmt::format("reading FBX and Collada needs the library assimp, and {} is not installed; install it (the "
                        "package libassimp5 of Debian) or export the file as glTF",
                        PELT_ASSIMP));
    ImportLibrary found{};
    find(library, "aiCreatePropertyStore", found.create_properties);
    find(library, "aiSetImportPropertyInteger", found.set_integer);
    find(library, "aiImportFileFromMemoryWithProperties", found.import_file);
    find(library, "aiGetErrorString", found.error_string);
    find(library, "aiGetMaterialString", found.material_string);
    return found;
}

const ImportLibrary& importLibrary() {
    static const ImportLibrary library = openLibrary();
    return library;
}

/// The library's message, shortened to one line: it may quote the file at length.
std::string quoted(std::string text) {
    constexpr std::size_t kLongest = 120;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    return text;
}

/// Words of the C++ library ("vector::_M_fill_insert"), which the import library passes on, help nobody.
std::string faultOf(const std::string& message) {
    return message.empty() || message.find("::") != std::string::npos ? "its data is inconsistent" : quoted(message);
}

}  // namespace

void loadImportLibrary() { importLibrary(); }

const aiScene& readScene(std::span<const std::byte> bytes, const char* format) {
    const ImportLibrary& library = importLibrary();
    if (bytes.size() > 0xffffffffu) throw Error::badInput("it is larger than 4 GB; export it as glTF instead");
    aiPropertyStore* properties = library.create_properties();
    library.set_integer(properties, AI_CONFIG_IMPORT_FBX_READ_TEXTURES, 0);
    library.set_integer(properties, AI_CONFIG_IMPORT_FBX_READ_CAMERAS, 0);
    library.set_integer(properties, AI_CONFIG_IMPORT_FBX_READ_LIGHTS, 0);
    library.set_integer(properties, AI_CONFIG_IMPORT_REMOVE_EMPTY_BONES, 0);
    library.set_integer(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    const aiScene* scene =
        library.import_file(reinterpret_cast<const char*>(bytes.data()), static_cast<unsigned>(bytes.size()),
                            aiProcess_Triangulate, format, properties);
    const char* message = scene ? nullptr : library.error_string();
    const std::string fault = message ? message : "";
    if (fault == "std::bad_alloc") throw std::bad_alloc();
    if (!scene || !scene->mRootNode)
        throw Error::badInput(
            fmt::format("it cannot be read: {}; export it again, as glTF if that does not help", faultOf(fault)));
    return *scene;
}

std::string materialName(const aiScene& scene, const aiMesh& mesh) {
    aiString name;
    if (mesh.mMaterialIndex >= scene.mNumMaterials) return {};
    if (importLibrary().material_string(scene.mMaterials[mesh.mMaterialIndex], AI_MATKEY_NAME, &name) !=
        aiReturn_SUCCESS)
        return {};
    return name == aiString(AI_DEFAULT_MATERIAL_NAME) ? std::string() : name.C_Str();
}

}  // namespace pelt::importer
