// A prepared rig as bytes, for a cache: the members one after the other, each array with its size before it.
#include <cstring>
#include <type_traits>

#include "rig_data.h"

namespace pelt::pose {
namespace {

class Writer {
public:
    template <class T>
    void one(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* bytes = reinterpret_cast<const std::byte*>(&value);
        out.insert(out.end(), bytes, bytes + sizeof(T));
    }
    template <class T>
    void many(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        one(std::uint64_t(values.size()));
        const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
        out.insert(out.end(), bytes, bytes + values.size() * sizeof(T));
    }
    void matrix(const Eigen::MatrixXd& m) {
        one(std::uint64_t(m.rows()));
        one(std::uint64_t(m.cols()));
        const auto* bytes = reinterpret_cast<const std::byte*>(m.data());
        out.insert(out.end(), bytes, bytes + std::size_t(m.size()) * sizeof(double));
    }
    std::vector<std::byte> out;
};

/// The same order; `fine` becomes false if there are too few bytes.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    void one(T& value) {
        take(&value, sizeof(T));
    }
    template <class T>
    void many(std::vector<T>& values) {
        std::uint64_t count = 0;
        one(count);
        fine = fine && count <= rest_.size() / sizeof(T);
        if (!fine) return;
        values.resize(std::size_t(count));
        take(values.data(), values.size() * sizeof(T));
    }
    void matrix(Eigen::MatrixXd& m) {
        std::uint64_t rows = 0, columns = 0;
        one(rows);
        one(columns);
        const std::uint64_t most = rest_.size() / sizeof(double);
        fine = fine && rows <= most && (rows == 0 || columns <= most / rows);
        if (!fine || columns > 0xffffffffu) return;
        m.resize(Eigen::Index(rows), Eigen::Index(columns));
        take(m.data(), std::size_t(m.size()) * sizeof(double));
    }
    bool atEnd() const { return fine && rest_.empty(); }
    bool fine = true;

private:
    void take(void* to, std::size_t size) {
        fine = fine && size <= rest_.size();
        if (!fine || size == 0) return;
        std::memcpy(to, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }
    std::span<const std::byte> rest_;
};

template <class Stream, class Data>
void pass(Stream& s, Data& d) {
    s.one(d.handles);
    s.one(d.columns);
    s.one(d.clusters);
    s.one(d.center);
    s.one(d.scale);
    s.one(d.energy_unit);
    s.one(d.rest_energy);
    s.many(d.frames);
    s.many(d.weld.welded);
    s.many(d.weld.representative);
    s.many(d.positions);
    s.many(d.rows.offsets);
    s.many(d.rows.columns);
    s.many(d.rows.values);
    s.one(d.blend.vertices);
    s.many(d.blend.rest);
    s.many(d.blend.offsets);
    s.many(d.blend.columns);
    s.many(d.blend.weights);
    s.matrix(d.free);
    s.matrix(d.null);
    s.matrix(d.covariance);
    s.matrix(d.rest);
    s.matrix(d.null_rest);
}

}  // namespace

std::vector<std::byte> toBytes(const PoseRig& rig) {
    Writer writer;
    pass(writer, *rig.data);
    return std::move(writer.out);
}

std::optional<PoseRig> rigFromBytes(std::span<const std::byte> bytes) {
    auto data = std::make_shared<PoseRig::Data>();
    Reader reader(bytes);
    pass(reader, *data);
    if (!reader.atEnd()) return {};
    return PoseRig{std::move(data)};
}

}  // namespace pelt::pose
