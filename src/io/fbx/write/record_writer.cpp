// The records of a binary FBX file: (end offset, value count, value bytes, name, values, nested records).
#include "record_writer.h"

#include <pelt/core/error.h>

#include <limits>

namespace pelt::io::fbx {
namespace {

constexpr std::string_view kFileMagic("Kaydara FBX Binary  \0\x1a\0", 23);
constexpr std::uint32_t kVersion = 7400;
constexpr std::size_t kEmptyRecord = 13;
/// What readers of Autodesk's library check at the end of a file, for the creation time that we write.
constexpr unsigned char kFooterId[] = {0xfa, 0xbc, 0xab, 0x09, 0xd0, 0xc8, 0xd4, 0x66,
                                       0xb1, 0x76, 0xfb, 0x83, 0x1c, 0xf7, 0x26, 0x7e};
constexpr unsigned char kFooterEnd[] = {0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e,
                                        0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b};

}  // namespace

RecordWriter::RecordWriter() {
    bytes(kFileMagic.data(), kFileMagic.size());
    raw(kVersion);
}

void RecordWriter::bytes(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), first, first + size);
}

template <class T>
void RecordWriter::raw(T value) {
    bytes(&value, sizeof value);
}

template <class T>
void RecordWriter::put(char type, T value) {
    raw(type);
    raw(value);
    ++open_.back().count;
}

void RecordWriter::patch(std::size_t at, std::size_t value) {
    for (std::size_t i = 0; i < 4; ++i) out_[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xFFU);
}

void RecordWriter::open(std::string_view name) {
    closeValues();
    if (!open_.empty()) open_.back().has_children = true;
    Open record{out_.size(), 0};
    record.always_closed = name == "AnimationStack" || name == "AnimationLayer";
    out_.resize(out_.size() + 12);
    raw(static_cast<std::uint8_t>(name.size()));
    bytes(name.data(), name.size());
    record.values_at = out_.size();
    open_.push_back(record);
}

/// The values of the innermost record are complete.
void RecordWriter::closeValues() {
    if (open_.empty() || open_.back().has_children) return;
    patch(open_.back().at + 4, open_.back().count);
    patch(open_.back().at + 8, out_.size() - open_.back().values_at);
}

void RecordWriter::end() {
    closeValues();
    const Open& record = open_.back();
    if (record.has_children || record.count == 0 || record.always_closed) out_.resize(out_.size() + kEmptyRecord);
    patch(record.at, out_.size());
    open_.pop_back();
}

void RecordWriter::addText(char type, std::string_view text) {
    put(type, static_cast<std::uint32_t>(text.size()));
    bytes(text.data(), text.size());
}

void RecordWriter::add(const ObjectName& name) {
    constexpr std::string_view kBetween("\0\1", 2);
    put('S', static_cast<std::uint32_t>(name.name.size() + kBetween.size() + name.kind.size()));
    for (const std::string_view part : {name.name, kBetween, name.kind}) bytes(part.data(), part.size());
}

void RecordWriter::add(std::span<const std::byte> raw_bytes) {
    put('R', static_cast<std::uint32_t>(raw_bytes.size()));
    bytes(raw_bytes.data(), raw_bytes.size());
}

template <class T>
void RecordWriter::addArray(char type, std::span<const T> values) {
    put(type, static_cast<std::uint32_t>(values.size()));
    raw(std::uint32_t(0));  // not compressed
    raw(static_cast<std::uint32_t>(values.size_bytes()));
    bytes(values.data(), values.size_bytes());
}

template void RecordWriter::addArray(char, std::span<const double>);
template void RecordWriter::addArray(char, std::span<const float>);
template void RecordWriter::addArray(char, std::span<const std::int32_t>);
template void RecordWriter::addArray(char, std::span<const std::int64_t>);
template void RecordWriter::put(char, std::int32_t);
template void RecordWriter::put(char, std::int64_t);
template void RecordWriter::put(char, double);
template void RecordWriter::put(char, std::uint8_t);

std::vector<std::byte> RecordWriter::finish() {
    if (out_.size() > std::numeric_limits<std::uint32_t>::max())
        throw Error::badInput("the character does not fit into an FBX file of version 7.4 (4 GiB); write .gltf");
    out_.resize(out_.size() + kEmptyRecord);
    bytes(kFooterId, sizeof kFooterId);
    out_.resize(out_.size() + 4);
    out_.resize((out_.size() + 16) / 16 * 16);
    raw(kVersion);
    out_.resize(out_.size() + 120);
    bytes(kFooterEnd, sizeof kFooterEnd);
    return std::move(out_);
}

}  // namespace pelt::io::fbx
