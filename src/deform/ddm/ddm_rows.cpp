// Makes the rows of Direct Delta Mush that are stored from the smoothed moments.
#include "ddm_rows.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace pelt::deform {
namespace {

/// If the number of joints is limited, joints with less than this weight on a vertex are dropped: they move it by less
/// than a ten thousandth of their own motion relative to the others.
constexpr double kInvisible = 1e-4;

struct Entry {
    std::uint32_t joint = 0;
    double moments[kMoments] = {};
    double psi = 0;

    double omega() const { return moments[kMoments - 1]; }
};

/// The entries of one vertex in a field, ascending by joint.
class FieldRow {
public:
    explicit FieldRow(const Field& field) : field_(field), width_(field.channels.width) {}

    std::size_t size() const { return found_.size(); }
    std::uint32_t joint(std::size_t e) const { return found_[e]; }
    const double* values(std::size_t e) const {
        return stored_ ? stored_ + e * width_ : sums_.data() + order_[e] * width_;
    }
    double last(std::size_t e) const { return values(e)[width_ - 1]; }

    void read(std::size_t v) {
        const geometry::Interpolation& between = field_.between;
        const VertexChannels& from = field_.channels;
        if (between.offsets.empty()) {
            const std::size_t first = from.offsets[v];
            found_ = std::span(from.joints).subspan(first, from.offsets[v + 1] - first);
            stored_ = from.values.data() + first * width_;
            return;
        }
        joints_.clear();
        sums_.clear();
        for (std::size_t k = between.offsets[v]; k < between.offsets[v + 1]; ++k)
            add(between.nodes[k], between.weights[k]);
        order_.resize(joints_.size());
        std::iota(order_.begin(), order_.end(), std::size_t(0));
        for (const std::uint32_t j : joints_) slots_[j] = kNone;
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return joints_[a] < joints_[b]; });
        std::sort(joints_.begin(), joints_.end());
        found_ = joints_;
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t(0);

    void add(std::size_t node, double weight) {
        const VertexChannels& from = field_.channels;
        for (std::size_t e = from.offsets[node]; e < from.offsets[node + 1]; ++e) {
            const std::uint32_t joint = from.joints[e];
            if (joint >= slots_.size()) slots_.resize(joint + std::size_t(1), kNone);
            if (slots_[joint] == kNone) {
                slots_[joint] = std::uint32_t(joints_.size());
                joints_.push_back(joint);
                sums_.resize(sums_.size() + width_, 0.0);
            }
            double* to = sums_.data() + slots_[joint] * width_;
            for (std::size_t c = 0; c < width_; ++c) to[c] += weight * from.values[e * width_ + c];
        }
    }

    const Field& field_;
    std::size_t width_;
    std::span<const std::uint32_t> found_;       ///< of the field itself, which has them ascending, or of `joints_`
    const double* stored_ = nullptr;             ///< values of the field itself; null: those of `sums_`
    std::vector<std::uint32_t> joints_, slots_;  ///< slots: by joint, its index in `sums_` while reading
    std::vector<std::size_t> order_;
    std::vector<double> sums_;
};

/// p_i of Eq. 11 rev., from Σ Ψ, and the sum of Ψ's weights (1 except for weights that the cutoff dropped).
struct Center {
    double p[4] = {};  ///< homogeneous, 1 last
    double sum = 0;
};

Center centerOf(const FieldRow& psi) {
    Center center;
    for (std::size_t e = 0; e < psi.size(); ++e)
        for (int c = 0; c < 4; ++c) center.p[c] += psi.values(e)[6 + c];
    center.sum = center.p[3];
    for (double& x : center.p) x /= center.sum;
    return center;
}

/// Whether the weights of a field still form a partition of unity, up to the cutoff. This detects systems that cannot
/// be solved in double precision (needle triangles, joints very far away).
bool isPartition(const FieldRow& row) {
    constexpr double kLoss = 1e-2;
    double sum = 0;
    for (std::size_t e = 0; e < row.size(); ++e) {
        if (!(std::abs(row.last(e)) < 1 + kLoss)) return false;
        sum += row.last(e);
    }
    return std::abs(sum - 1) < kLoss;
}

/// w' of one vertex, ascending by joint, with sum 1.
using TranslationRow = std::vector<std::pair<std::uint32_t, double>>;

/// Scales the weights from `first` on to sum to `share`.
void scaleTo(double share, std::size_t first, TranslationRow& row) {
    double sum = 0;
    for (std::size_t i = first; i < row.size(); ++i) sum += row[i].second;
    for (std::size_t i = first; i < row.size(); ++i) row[i].second *= share / sum;
}

/// Sorts by joint and adds up what a joint has.
void mergeJoints(TranslationRow& row) {
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < row.size(); ++i) {
        if (row[i].first == row[last].first)
            row[last].second += row[i].second;
        else
            row[++last] = row[i];
    }
    row.resize(row.empty() ? 0 : last + 1);
}

/// Ω_ij = (1 - α) Ψ_ij + α w'_ij [p p^T p; p^T 1], joints ascending.   [LeLewis19] Eq. 11 rev.
void appendOmega(const FieldRow& psi, const TranslationRow& weights, double alpha, std::vector<Entry>& entries) {
    const Center center = centerOf(psi);
    const double* p = center.p;
    const double pp[kMoments] = {p[0] * p[0], p[0] * p[1], p[0] * p[2], p[1] * p[1], p[1] * p[2],
                                 p[2] * p[2], p[0],        p[1],        p[2],        1};
    const std::size_t end = psi.size(), w_end = weights.size();
    std::size_t e = 0, w = 0;
    while (e < end || w < w_end) {
        Entry entry;
        const std::uint32_t in_psi = e < end ? psi.joint(e) : ~0u;
        const std::uint32_t in_weights = w < w_end ? weights[w].first : ~0u;
        entry.joint = std::min(in_psi, in_weights);
        if (in_psi == entry.joint) {
            for (std::size_t c = 0; c < kMoments; ++c) entry.moments[c] = (1 - alpha) * psi.values(e)[c] / center.sum;
            entry.psi = psi.last(e) / center.sum;
            ++e;
        }
        if (in_weights == entry.joint) {
            const double blend = alpha * weights[w].second;
            for (std::size_t c = 0; c < kMoments; ++c) entry.moments[c] += blend * pp[c];
            ++w;
        }
        entries.push_back(entry);
    }
}

/// Sorts entries whose ω became equal by rounding by joint; they are already sorted by ω.
template <class T>
void sortTies(DdmRows<T>& rows, std::size_t first, std::size_t last) {
    for (std::size_t e = first + 1; e < last; ++e)
        for (std::size_t k = e;
             k > first && rows.blocks[k].w == rows.blocks[k - 1].w && rows.joints[k] < rows.joints[k - 1]; --k) {
            std::swap(rows.joints[k], rows.joints[k - 1]);
            std::swap(rows.blocks[k], rows.blocks[k - 1]);
            std::swap(rows.psi[k], rows.psi[k - 1]);
        }
}

/// Keeps the largest of the sorted entries. On ties at the limit, as on the middle line of a symmetric skin, the lower
/// joints are kept, even if rounding made the entries slightly different.
void cutTo(std::vector<Entry>& entries, std::size_t influences) {
    constexpr double kTie = 1e-6;
    const double limit = entries[influences - 1].omega();
    const auto tied = [&](const Entry& e) { return std::abs(e.omega() - limit) <= kTie * limit; };
    const auto first = std::find_if(entries.begin(), entries.end(), tied);
    const auto last = std::find_if_not(first, entries.end(), tied);
    std::sort(first, last, [](const Entry& a, const Entry& b) { return a.joint < b.joint; });
    entries.resize(influences);
}

/// Keeps the largest and divides by the sum of their ω; otherwise translations would be scaled down.
void prune(std::vector<Entry>& entries, std::size_t influences) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.omega() != b.omega() ? a.omega() > b.omega() : a.joint < b.joint;
    });
    if (influences > 0) {
        if (entries.size() > influences) cutTo(entries, influences);
        while (entries.size() > 1 && entries.back().omega() < kInvisible && entries.back().psi < kInvisible)
            entries.pop_back();
    }
    double omega = 0, psi = 0;
    for (const Entry& e : entries) {
        omega += e.omega();
        psi += e.psi;
    }
    for (Entry& e : entries) {
        for (double& m : e.moments) m /= omega;
        e.psi = psi > 0 ? e.psi / psi : e.omega();
    }
}

/// A row about its own center: Ω' = T(-p) Ω T(-p)^T, with p computed from the kept entries.
struct CenteredRow {
    double p[3] = {};
    std::vector<DdmBlock<double>> blocks;

    void set(const std::vector<Entry>& entries) {
        std::fill(std::begin(p), std::end(p), 0.0);
        blocks.clear();
        for (const Entry& e : entries)
            for (int c = 0; c < 3; ++c) p[c] += e.moments[6 + c];
        for (const Entry& e : entries) {
            const double* m = e.moments;
            const double w = e.omega();
            const auto second = [&](int index, int a, int b) {
                return m[index] - p[a] * m[6 + b] - p[b] * m[6 + a] + w * p[a] * p[b];
            };
            blocks.push_back({second(0, 0, 0), second(1, 0, 1), second(2, 0, 2), second(3, 1, 1), second(4, 1, 2),
                              second(5, 2, 2), m[6] - p[0] * w, m[7] - p[1] * w, m[8] - p[2] * w, w});
        }
    }

    double trace() const {
        double sum = 0;
        for (const DdmBlock<double>& b : blocks) sum += b.xx + b.yy + b.zz;
        return sum;
    }

    /// Whether all that the vertex averages lies in one point, as where λ is 0: the covariance is then only the
    /// rounding error of the moments.
    bool isPoint(const std::vector<Entry>& entries) const {
        constexpr double kRounding = 1e-12;
        double size = 0;
        for (const Entry& e : entries) size += e.moments[0] + e.moments[3] + e.moments[5];
        return !(trace() > kRounding * size);
    }

    /// Replaces the covariance of a point, which is 0 and determines no rotation, by a small isotropic one of every
    /// joint: R is then the rotation nearest to Σ ψ_j A_j, as in Delta Mush. It moves nothing, since u = p_i.
    void makePoint(const std::vector<Entry>& entries, double spread) {
        for (std::size_t e = 0; e < blocks.size(); ++e) {
            const double s = spread * entries[e].psi;
            blocks[e] = {s, 0, 0, s, 0, s, 0, 0, 0, blocks[e].w};
        }
    }

    /// Whether single precision can represent the row: finite and, if joints are blended, not so small that the
    /// covariance underflows.
    bool sound() const {
        constexpr double kMost = 1e37, kLeast = 1e-32;
        for (const DdmBlock<double>& b : blocks)
            for (const double x : {b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w})
                if (!(std::abs(x) < kMost)) return false;
        return blocks.size() == 1 || (blocks.size() > 1 && trace() >= kLeast);
    }
};

/// The bind of a vertex as a row without a neighborhood: the vertex is moved by its joints alone.
void appendBind(const OmegaParts& parts, std::size_t v, std::vector<Entry>& entries) {
    const std::uint32_t row = parts.representative[v];
    const Vec3d u = Vec3d(parts.positions[v]) - parts.origin;
    for (std::size_t i = 0; i < parts.bind.influenceCount(row); ++i) {
        const double w = parts.bind.weightsOf(row)[i];
        Entry entry{parts.bind.jointsOf(row)[i], {}, w};
        const double pp[kMoments] = {u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z,
                                     u.z * u.z, u.x,       u.y,       u.z,       1};
        for (std::size_t c = 0; c < kMoments; ++c) entry.moments[c] = w * pp[c];
        entries.push_back(entry);
    }
}

template <class T>
void appendRow(const std::vector<Entry>& entries, const CenteredRow& row, const Vec3d& origin, DdmRows<T>& rows) {
    const std::size_t first = rows.joints.size();
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const DdmBlock<double>& b = row.blocks[e];
        rows.joints.push_back(entries[e].joint);
        rows.blocks.push_back({T(b.xx), T(b.xy), T(b.xz), T(b.yy), T(b.yz), T(b.zz), T(b.x), T(b.y), T(b.z), T(b.w)});
        rows.psi.push_back(T(entries[e].psi));
    }
    sortTies(rows, first, rows.joints.size());
    rows.offsets.push_back(std::uint32_t(rows.joints.size()));
    rows.centers.emplace_back(origin + Vec3d{row.p[0], row.p[1], row.p[2]});
}

/// Computes rows one by one; reuses its buffers.
template <class T>
class RowMaker {
public:
    RowMaker(const OmegaParts& parts, std::size_t influences) : parts_(parts), influences_(influences) {
        if (parts.weights) weights_.emplace(*parts.weights);
    }

    void append(std::size_t v, DdmRows<T>& rows) {
        const double alpha = parts_.alpha[v];
        entries_.clear();
        psi_.read(v);
        bool sound = isPartition(psi_) && readTranslations(v, alpha);
        if (sound) {
            appendOmega(psi_, translations_, alpha, entries_);
            prune(entries_, influences_);
            row_.set(entries_);
            if (row_.isPoint(entries_)) row_.makePoint(entries_, parts_.spread);
            sound = row_.sound();
        }
        if (!sound) keepBind(v);
        appendRow(entries_, row_, parts_.origin, rows);
    }

private:
    /// w' of the vertex; false if it could not be smoothed.
    bool readTranslations(std::size_t v, double alpha) {
        translations_.clear();
        if (!(alpha > 0)) return true;
        const double share = parts_.given.shareOf(v);
        if (share < 1) {
            weights_->read(v);
            if (!isPartition(*weights_)) return false;
            for (std::size_t w = 0; w < weights_->size(); ++w)
                translations_.emplace_back(weights_->joint(w), weights_->last(w));
            scaleTo(1 - share, 0, translations_);
        }
        if (share > 0) {
            const std::uint32_t row = parts_.representative[v];
            const auto joints = parts_.given.weights.jointsOf(row);
            const auto weights = parts_.given.weights.weightsOf(row);
            const std::size_t first = translations_.size();
            for (std::size_t i = 0; i < joints.size(); ++i) translations_.emplace_back(joints[i], weights[i]);
            scaleTo(share, first, translations_);
            mergeJoints(translations_);
        }
        return true;
    }

    void keepBind(std::size_t v) {
        entries_.clear();
        appendBind(parts_, v, entries_);
        prune(entries_, influences_);
        row_.set(entries_);
        row_.makePoint(entries_, parts_.spread);
    }

    const OmegaParts& parts_;
    std::size_t influences_;
    FieldRow psi_{parts_.psi};
    std::optional<FieldRow> weights_;
    TranslationRow translations_;
    std::vector<Entry> entries_;
    CenteredRow row_;
};

/// Concatenates the chunks.
template <class T>
DdmRows<T> joined(std::vector<DdmRows<T>>& chunks) {
    std::vector<std::size_t> row(chunks.size() + 1, 0), entry(chunks.size() + 1, 0);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        row[c + 1] = row[c] + chunks[c].centers.size();
        entry[c + 1] = entry[c] + chunks[c].joints.size();
    }
    DdmRows<T> rows;
    rows.offsets.resize(row.back() + 1);
    rows.centers.resize(row.back());
    rows.joints.resize(entry.back());
    rows.blocks.resize(entry.back());
    rows.psi.resize(entry.back());
    parallelFor(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) {
            DdmRows<T>& chunk = chunks[c];
            for (std::size_t v = 1; v < chunk.offsets.size(); ++v)
                rows.offsets[row[c] + v] = std::uint32_t(entry[c] + chunk.offsets[v]);
            std::copy(chunk.centers.begin(), chunk.centers.end(), rows.centers.begin() + std::ptrdiff_t(row[c]));
            std::copy(chunk.joints.begin(), chunk.joints.end(), rows.joints.begin() + std::ptrdiff_t(entry[c]));
            std::copy(chunk.blocks.begin(), chunk.blocks.end(), rows.blocks.begin() + std::ptrdiff_t(entry[c]));
            std::copy(chunk.psi.begin(), chunk.psi.end(), rows.psi.begin() + std::ptrdiff_t(entry[c]));
            chunk = {};
        }
    });
    return rows;
}

}  // namespace

template <class T>
DdmRows<T> makeRows(const OmegaParts& parts, std::span<const std::uint32_t> which, std::size_t influences) {
    std::vector<DdmRows<T>> chunks((which.size() + kVertexGrain - 1) / kVertexGrain);
    parallelFor(which.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        RowMaker<T> maker(parts, influences);
        for (std::size_t i = first; i < last; ++i) maker.append(which[i], chunks[first / kVertexGrain]);
    });
    return joined(chunks);
}

template DdmRows<float> makeRows(const OmegaParts&, std::span<const std::uint32_t>, std::size_t);
template DdmRows<double> makeRows(const OmegaParts&, std::span<const std::uint32_t>, std::size_t);

}  // namespace pelt::deform
