#pragma once

#include <pelt/io/sequence_file.h>

#include <filesystem>
#include <memory>

namespace pelt::io {

/// The checks of every writer: the announced number of frames, each of the right size and finite.
class CheckedWriter : public SequenceWriter {
public:
    CheckedWriter(std::filesystem::path path, const SequenceInfo& info);

    void write(std::span<const Vec3f> positions) final;
    void finish() final;

protected:
    const std::filesystem::path& path() const { return path_; }
    const SequenceInfo& info() const { return info_; }

    virtual void writeFrame(std::size_t frame, std::span<const Vec3f> positions) = 0;
    virtual void commit() = 0;

private:
    std::filesystem::path path_;
    SequenceInfo info_;
    std::size_t written_ = 0;
    bool finished_ = false;
};

std::unique_ptr<SequenceWriter> createNpy(const std::filesystem::path& path, const SequenceInfo& info);
std::unique_ptr<SequenceWriter> createPc2(const std::filesystem::path& path, const SequenceInfo& info);
std::unique_ptr<SequenceWriter> createMdd(const std::filesystem::path& path, const SequenceInfo& info);
std::unique_ptr<SequenceWriter> createObjFolder(const std::filesystem::path& path, const SequenceInfo& info);
/// A single frame as .obj or .ply; Error (bad usage) for more.
std::unique_ptr<SequenceWriter> createMeshFrame(const std::filesystem::path& path, const SequenceInfo& info);
std::unique_ptr<SequenceWriter> createMorphGlb(const std::filesystem::path& path, const SequenceInfo& info);

}  // namespace pelt::io
