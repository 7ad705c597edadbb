#include <algorithm>
#include <numeric>

#include "gltf/ddm_record_layout.h"

namespace pelt::io::gltf {
namespace {

constexpr double kFullScale = 65535;

template <class T>
void put(std::vector<std::byte>& out, const T& record) {
    const auto bytes = std::as_bytes(std::span(&record, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Integers near `values` whose sum is `total`, the rounded sum of the values: those with the largest remainders are
/// rounded up.
std::vector<long> roundedToSum(const std::vector<double>& values, long total) {
    std::vector<long> out(values.size());
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (std::size_t i = 0; i < values.size(); ++i) total -= out[i] = static_cast<long>(std::floor(values[i]));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] - std::floor(values[a]) > values[b] - std::floor(values[b]);
    });
    for (std::size_t i = 0; i < order.size() && total > 0; ++i, --total) ++out[order[i]];
    return out;
}

/// Fractions of 1 as fractions of 65535 that sum to exactly 65535. ω and ψ are negative only by rounding.
template <class Get>
std::vector<long> quantisedParts(const Row& row, Get part) {
    std::vector<double> values;
    double sum = 0;
    for (const Entry& entry : row) sum += values.emplace_back(std::max(0.0, part(entry)));
    for (double& value : values) value *= kFullScale / sum;
    return roundedToSum(values, static_cast<long>(kFullScale));
}

/// The smallest power of two that scales numbers up to `largest` into signed 16 bits.
int exponentFor(double largest) {
    if (!(largest > 0)) return 0;
    int exponent = 0;
    const double mantissa = std::frexp(largest / 32767, &exponent);
    return std::clamp(mantissa == 0.5 ? exponent - 1 : exponent, -128, 127);
}

template <std::size_t N>
int exponentFor(const Row& row, double Block::*const (&members)[N]) {
    double largest = 0;
    for (const Entry& entry : row)
        for (const auto member : members) largest = std::max(largest, std::abs(entry.block.*member));
    return exponentFor(largest);
}

/// χ' of a row as integers with sum 0; increases the exponent if rounding exceeds 16 bits.
int quantiseFirst(const Row& row, std::vector<Q16Entry>& out) {
    for (int exponent = exponentFor(row, kFirst);; ++exponent) {
        bool fits = true;
        for (std::size_t c = 0; c < 3; ++c) {
            std::vector<double> values;
            for (const Entry& entry : row) values.push_back(std::ldexp(entry.block.*kFirst[c], -exponent));
            const double sum = std::accumulate(values.begin(), values.end(), 0.0);
            const std::vector<long> rounded = roundedToSum(values, std::lround(sum));
            for (std::size_t i = 0; i < row.size(); ++i) {
                fits = fits && std::abs(rounded[i]) <= 32767;
                out[i].first[c] = static_cast<std::int16_t>(rounded[i]);
            }
        }
        if (fits || exponent == 127) return exponent;
    }
}

void encodeQ16(const Row& row, const float* p, DdmRecords& out) {
    std::vector<Q16Entry> entries(row.size());
    const std::vector<long> omega = quantisedParts(row, [](const Entry& e) { return e.block.w; });
    const std::vector<long> psi = quantisedParts(row, [](const Entry& e) { return e.psi; });
    const int second = exponentFor(row, kSecond), first = quantiseFirst(row, entries);
    for (std::size_t i = 0; i < row.size(); ++i) {
        entries[i].joint = static_cast<std::uint16_t>(row[i].joint);
        entries[i].omega = static_cast<std::uint16_t>(omega[i]);
        entries[i].psi = static_cast<std::uint16_t>(psi[i]);
        for (std::size_t c = 0; c < 6; ++c)
            entries[i].second[c] =
                static_cast<std::int16_t>(std::lround(std::ldexp(row[i].block.*kSecond[c], -second)));
        put(out.entries, entries[i]);
    }
    put(out.vertices, Q16Vertex{{p[0], p[1], p[2]},
                                static_cast<std::uint16_t>(row.size()),
                                static_cast<std::int8_t>(second),
                                static_cast<std::int8_t>(first)});
}

void encodeFloat(const Row& row, const float* p, DdmRecords& out) {
    for (const Entry& entry : row)
        put(out.entries, FloatEntry{entry.joint, narrowed(entry.block), static_cast<float>(entry.psi)});
    put(out.vertices, FloatVertex{{p[0], p[1], p[2]}, static_cast<std::uint32_t>(row.size())});
}

}  // namespace

DdmRecords encodeRecords(const DdmRows<float>& rows, std::size_t first, std::size_t count, DdmEncoding encoding,
                         const std::function<std::size_t(std::uint32_t slot)>& skin_index) {
    DdmRecords out;
    out.vertices.reserve(count * kVertexBytes);
    out.entries.reserve((rows.offsets[first + count] - rows.offsets[first]) * entryBytes(encoding));
    Row row;
    for (std::size_t v = first; v < first + count; ++v) {
        readRow(rows, v, row);
        for (Entry& entry : row) entry.joint = static_cast<std::uint32_t>(skin_index(entry.joint));
        const float p[3] = {rows.centers[v].x, rows.centers[v].y, rows.centers[v].z};
        encoding == DdmEncoding::q16 ? encodeQ16(row, p, out) : encodeFloat(row, p, out);
    }
    return out;
}

}  // namespace pelt::io::gltf
