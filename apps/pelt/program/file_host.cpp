// Where the program's verbs write: files and standard output.
#include "program/file_host.h"

#include <fmt/format.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/character_file.h>
#include <pelt/io/extension.h>
#include <pelt/io/png.h>

#include <fstream>
#include <iterator>

#include "draw/closeups.h"
#include "draw/heatmap.h"
#include "program/signals.h"
#include "program/streams.h"
#include "program/terminal.h"

namespace pelt::program {

void FileHost::enter(std::string_view stage, bool shown) {
    if (!shown) return;
    display_.update(stage, -1);
    if (cancelRequested()) throw Error(ErrorCode::cancelled, "cancelled");
}

bool FileHost::goesOn(std::string_view stage, double fraction) {
    display_.update(stage, fraction);
    return !cancelRequested();
}

const std::filesystem::path& FileHost::pathOf(std::string_view output) const {
    const auto found = outputs.find(output);
    if (found == outputs.end()) throw Error::badUsage(fmt::format("{} has no file", output));
    return found->second;
}

std::string FileHost::nameOf(std::string_view output) const {
    const auto found = outputs.find(output);
    return found == outputs.end() ? std::string() : found->second.string();
}

bool FileHost::wants(std::string_view output, verbs::Kind kind) const {
    const auto found = kinds.find(output);
    return found != kinds.end() && found->second == kind;
}

void FileHost::take(std::string_view output, const std::string& name, Character&& character) {
    const std::filesystem::path& path = pathOf(output);
    if (kinds.find(output)->second == verbs::Kind::folder)
        levels_.push_back({name, std::move(character)});
    else if (isStandardStream(path))
        writeStdout(io::toGlb(character));
    else
        saveCharacter(character, path);
}

void FileHost::saveCharacter(const Character& character, const std::filesystem::path& path) {
    std::vector<std::string> sentences;
    io::saveCharacter(character, path, {.z_up = fbx_up == "z", .warnings = &sentences});
    for (const std::string& sentence : sentences) this->lost.push_back(fmt::format("{}: {}", path.string(), sentence));
}

std::unique_ptr<io::SequenceWriter> FileHost::open(std::string_view output, const io::SequenceInfo& info) {
    const std::filesystem::path& path = pathOf(output);
    if (!isStandardStream(path)) return io::createSequence(path, info);
    return io::streamNpy(info, [](std::span<const std::byte> bytes) { writeStdout(bytes); });
}

void FileHost::take(std::string_view output, std::span<const std::byte> bytes) {
    const std::filesystem::path& path = pathOf(output);
    if (isStandardStream(path)) return writeStdout(bytes);
    io::AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

std::vector<std::byte> FileHost::draw(const verbs::Heatmap& heatmap, const Progress& progress) {
    return io::toPng(draw::drawHeatmap(heatmap, progress), "the heat map");
}

std::vector<std::byte> FileHost::draw(const verbs::CloseupSheet& sheet, const Progress& progress) {
    return io::toPng(draw::drawCloseups(sheet, progress), "the sheet");
}

bool FileHost::takeCopy(std::string_view output, const std::filesystem::path& file) {
    const std::string extension = io::extensionOf(file);
    const std::filesystem::path& path = pathOf(output);
    if (isStandardStream(file) || (extension != ".glb" && extension != ".vrm")) return false;  // not all in one file
    if (!isStandardStream(path) && io::extensionOf(path) != extension) return false;
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    if (!in) return false;
    take(output, std::as_bytes(std::span(bytes)));
    return true;
}

void FileHost::finish() {
    if (levels_.empty()) return;
    const std::filesystem::path& folder = pathOf("output");
    std::error_code fault;
    if (!std::filesystem::is_directory(folder, fault) && !std::filesystem::create_directory(folder, fault) && fault)
        throw Error::system({folder.string()}, fmt::format("cannot make the folder: {}", fault.message()));
    std::vector<std::unique_ptr<io::AtomicFile>> written;
    for (const Level& level : levels_) {
        written.push_back(std::make_unique<io::AtomicFile>(folder / (level.name + ".glb")));
        written.back()->write(io::toGlb(level.character));
    }
    for (const auto& file : written) file->commit();
}

}  // namespace pelt::program
