// Writes the rows of a payload as records, in full or quantized.
#include <algorithm>
#include <numeric>

#include "ddm_record_layout.h"

namespace pelt::io::gltf {
namespace {

constexpr double kFullScale = 65535;

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

struct QuantisedFirst {
    std::int16_t values[3];
};

/// χ' of a row as integers with sum 0; increases the exponent if rounding exceeds 16 bits.
int quantiseFirst(const Row& row, std::vector<QuantisedFirst>& out) {
    for (int exponent = exponentFor(row, kFirst);; ++exponent) {
        bool fits = true;
        for (std::size_t c = 0; c < 3; ++c) {
            std::vector<double> values;
            for (const Entry& entry : row) values.push_back(std::ldexp(entry.block.*kFirst[c], -exponent));
            const double sum = std::accumulate(values.begin(), values.end(), 0.0);
            const std::vector<long> rounded = roundedToSum(values, std::lround(sum));
            for (std::size_t i = 0; i < row.size(); ++i) {
                fits = fits && std::abs(rounded[i]) <= 32767;
                out[i].values[c] = static_cast<std::int16_t>(rounded[i]);
            }
        }
        if (fits || exponent == 127) return exponent;
    }
}

template <class Head>
void putVertex(const RecordLayout& layout, const Vec3f& p, const Head& head, DdmRecords& out) {
    RecordMaker record;
    if (layout.center)
        for (int i = 0; i < 3; ++i) record.put(p[i]);
    record.put(head);
    record.appendTo(out.vertices);
}

void encodeQ16(const RecordLayout& layout, const Row& row, const Vec3f& p, DdmRecords& out) {
    std::vector<QuantisedFirst> chi(row.size());
    const std::vector<long> omega = quantisedParts(row, [](const Entry& e) { return e.block.w; });
    const std::vector<long> psi = quantisedParts(row, [](const Entry& e) { return e.psi; });
    const int second = exponentFor(row, kSecond), first = quantiseFirst(row, chi);
    for (std::size_t i = 0; i < row.size(); ++i) {
        RecordMaker record;
        record.put(static_cast<std::uint16_t>(row[i].joint));
        if (layout.psi) record.put(static_cast<std::uint16_t>(psi[i]));
        if (layout.second)
            for (const auto member : kSecond)
                record.put(static_cast<std::int16_t>(std::lround(std::ldexp(row[i].block.*member, -second))));
        if (layout.first)
            for (const std::int16_t x : chi[i].values) record.put(x);
        record.put(static_cast<std::uint16_t>(omega[i]));
        record.appendTo(out.entries);
    }
    putVertex(layout, p,
              Q16Head{static_cast<std::uint16_t>(row.size()), static_cast<std::int8_t>(second),
                      static_cast<std::int8_t>(first)},
              out);
}

void encodeFloat(const RecordLayout& layout, const Row& row, const Vec3f& p, DdmRecords& out) {
    for (const Entry& entry : row) {
        RecordMaker record;
        record.put(entry.joint);
        if (layout.second)
            for (const auto member : kSecond) record.put(static_cast<float>(entry.block.*member));
        if (layout.first)
            for (const auto member : kFirst) record.put(static_cast<float>(entry.block.*member));
        record.put(static_cast<float>(entry.block.w));
        if (layout.psi) record.put(static_cast<float>(entry.psi));
        record.appendTo(out.entries);
    }
    putVertex(layout, p, FloatHead{static_cast<std::uint32_t>(row.size())}, out);
}

}  // namespace

DdmRecords encodeRecords(const DdmRows<float>& rows, std::size_t first, std::size_t count, DdmEncoding encoding,
                         const std::function<std::size_t(std::uint32_t slot)>& skin_index) {
    const RecordLayout layout(encoding, rows.content);
    DdmRecords out;
    out.vertices.reserve(count * layout.vertexBytes());
    out.entries.reserve((rows.offsets[first + count] - rows.offsets[first]) * layout.entryBytes());
    Row row;
    for (std::size_t v = first; v < first + count; ++v) {
        readRow(rows, v, row);
        for (Entry& entry : row) entry.joint = static_cast<std::uint32_t>(skin_index(entry.joint));
        const Vec3f& p = rows.centers[v];
        encoding == DdmEncoding::q16 ? encodeQ16(layout, row, p, out) : encodeFloat(layout, row, p, out);
    }
    return out;
}

}  // namespace pelt::io::gltf
