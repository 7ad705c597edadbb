// The .npy format of NumPy (NEP 1): magic, version, header length, a Python dict literal, the array's bytes.

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <array>

#include "io/bytes/byte_order.h"
#include "io/mesh/text_cursor.h"
#include "sequence_readers.h"

namespace pelt::io {
namespace {

/// NumPy itself refuses longer headers.
constexpr std::uint64_t kLongestHeader = 10000;
constexpr std::string_view kMagic("\x93NUMPY", 6);

[[noreturn]] void fail(const std::string& name, const std::string& what) { throw Error::badInput({name}, what); }

struct NpyHeader {
    std::string type;  ///< as in '<f4'
    bool is_fortran = false;
    std::vector<std::uint64_t> shape;
    bool has_type = false, has_order = false, has_shape = false;
};

/// The subset of Python's literals that np.save writes: a dict of strings, booleans and tuples of integers.
class DictReader {
public:
    DictReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader read() {
        expect('{');
        while (!accept('}')) {
            const std::string key = string();
            expect(':');
            readValue(key);
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!header_.has_type || !header_.has_order || !header_.has_shape)
            fail(name_, "the .npy header lacks 'descr', 'fortran_order' or 'shape'");
        return std::move(header_);
    }

private:
    void readValue(const std::string& key) {
        if (key == "descr") {
            skipBlanks();
            if (peek() == '[')
                fail(name_, "the .npy array has several fields; save one array of shape (frames, vertices, 3)");
            header_.type = string();
            header_.has_type = true;
        } else if (key == "fortran_order") {
            header_.is_fortran = boolean();
            header_.has_order = true;
        } else if (key == "shape") {
            header_.shape = tuple();
            header_.has_shape = true;
        } else {
            fail(name_, fmt::format("the .npy header has an unknown key {}", inQuotes(key)));
        }
    }

    std::string string() {
        skipBlanks();
        const char quote = peek();
        if (quote != '\'' && quote != '"') failHere("a string");
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) failHere("the end of a string");
        std::string value(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return value;
    }

    bool boolean() {
        skipBlanks();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return value;
        }
        failHere("True or False");
    }

    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> values;
        expect('(');
        while (!accept(')')) {
            values.push_back(wholeNumber());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return values;
    }

    std::uint64_t wholeNumber() {
        skipBlanks();
        std::size_t end = at_;
        while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
        std::int64_t value = 0;
        if (!parseNumber(text_.substr(at_, end - at_), value)) failHere("a whole number");
        at_ = end;
        accept('L');  // the suffix of long integers in Python 2
        return static_cast<std::uint64_t>(value);
    }

    void skipBlanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool accept(char c) {
        skipBlanks();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) failHere(fmt::format("'{}'", c));
    }
    [[noreturn]] void failHere(const std::string& wanted) const {
        fail(name_, fmt::format("the .npy header should have {} at its character {}", wanted, at_));
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    NpyHeader header_;
};

void setType(const std::string& type, const std::string& name, FrameLayout& layout) {
    const bool has_order = !type.empty() && (type[0] == '<' || type[0] == '>' || type[0] == '=' || type[0] == '|');
    const std::string_view kind = std::string_view(type).substr(has_order ? 1 : 0);
    if (kind != "f4" && kind != "f8")
        fail(name, fmt::format("the .npy array contains {}; only float32 and float64 are supported: save it with "
                               ".astype(numpy.float32)",
                               kind == "f2" ? "half floats (f2)" : inQuotes(type)));
    layout.is_double = kind == "f8";
    layout.order = has_order && type[0] == '>' ? std::endian::big : std::endian::little;
    if (has_order && type[0] == '=') layout.order = std::endian::native;
}

void setShape(const std::vector<std::uint64_t>& shape, const std::string& name, FrameLayout& layout) {
    if (shape.size() < 2 || shape.size() > 3 || shape.back() != 3) {
        std::string text;
        for (const std::uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
        fail(name,
             fmt::format("the .npy array has shape ({}); it must be (frames, vertices, 3) or (vertices, 3)", text));
    }
    layout.frames = shape.size() == 3 ? shape[0] : 1;
    layout.vertices = shape[shape.size() - 2];
}

FrameLayout readLayout(ByteSource& source) {
    const std::string& name = source.name();
    std::array<std::byte, 12> start{};
    const std::size_t start_size = std::min<std::uint64_t>(source.size(), start.size());
    source.read(0, std::span(start).first(start_size));
    if (start_size < 10 || std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0)
        fail(name, "is not a .npy file: it does not begin with \\x93NUMPY");
    const int version = static_cast<int>(start[6]);
    if (version < 1 || version > 3) fail(name, fmt::format("is .npy version {}; only 1 to 3 are supported", version));
    const std::uint64_t header_at = version == 1 ? 10 : 12;
    const std::uint64_t length = version == 1 ? loadAs<std::uint16_t>(start.data() + 8, std::endian::little)
                                              : loadAs<std::uint32_t>(start.data() + 8, std::endian::little);
    if (source.size() < header_at || length > source.size() - header_at || length > kLongestHeader)
        fail(name, fmt::format("the .npy header of {} bytes does not fit; the file is truncated or damaged", length));
    std::string text(length, '\0');
    source.read(header_at, std::as_writable_bytes(std::span(text)));
    const NpyHeader header = DictReader(text, name).read();
    FrameLayout layout;
    layout.offset = header_at + length;
    layout.is_fortran = header.is_fortran;
    setType(header.type, name, layout);
    setShape(header.shape, name, layout);
    checkLayout(layout, source, ".npy");
    return layout;
}

}  // namespace

std::unique_ptr<MeshSequence> openNpy(std::unique_ptr<ByteSource> source, std::optional<Mesh> mesh) {
    const FrameLayout layout = readLayout(*source);
    return makeFrameReader(std::move(source), layout, std::move(mesh));
}

}  // namespace pelt::io
