// Removes keys that interpolation gives anyway.
#include <pelt/rig/repeated_keys.h>

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

constexpr double kSameValue = 1e-6;  ///< of the largest value of the channel

/// The keys of a channel, compared with each other.
class KeyRuns {
public:
    explicit KeyRuns(const Channel& channel)
        : channel_(channel), cubic_(channel.interpolation == Interpolation::cubic_spline) {
        for (std::size_t k = 0; k < channel.times.size(); ++k)
            for (std::size_t i = 0; i < channel.width; ++i)
                tolerance_ = std::max(tolerance_, kSameValue * std::abs(double(value(k)[i])));
    }

    /// Per key, whether it is needed.
    std::vector<bool> needed() const {
        const std::size_t count = channel_.times.size();
        std::vector<bool> keep(count, false);
        for (std::size_t first = 0; first < count;) {
            std::size_t last = first;
            while (last + 1 < count && same(first, last + 1) && isFlat(last)) ++last;
            // A stepped channel holds its value by itself; before the first and after the last key it is held anyway.
            const bool begins = first == 0 && channel_.interpolation != Interpolation::step;
            const bool holds = last + 1 == count || channel_.interpolation == Interpolation::step;
            keep[first] = !begins || holds;
            if (!holds) keep[last] = true;
            first = last + 1;
        }
        return keep;
    }

private:
    const float* value(std::size_t key) const {
        return channel_.values.data() + (cubic_ ? 3 * key + 1 : key) * channel_.width;
    }

    bool same(std::size_t a, std::size_t b) const {
        bool equal = true, opposite = channel_.path == ChannelPath::rotation && !cubic_;
        for (std::size_t i = 0; i < channel_.width; ++i) {
            equal = equal && std::abs(double(value(a)[i]) - value(b)[i]) <= tolerance_;
            opposite = opposite && std::abs(double(value(a)[i]) + value(b)[i]) <= tolerance_;  // the same rotation
        }
        return equal || opposite;
    }

    /// Whether a spline does not leave the line between equal keys.
    bool isFlat(std::size_t key) const {
        if (!cubic_) return true;
        const double seconds = double(channel_.times[key + 1]) - channel_.times[key];
        const float *out = value(key) + channel_.width, *in = value(key + 1) - channel_.width;
        for (std::size_t i = 0; i < channel_.width; ++i)
            if (!(seconds * std::abs(double(out[i])) <= tolerance_) ||
                !(seconds * std::abs(double(in[i])) <= tolerance_))
                return false;
        return true;
    }

    const Channel& channel_;
    bool cubic_;
    double tolerance_ = 0;
};

void keepKeys(Channel& channel, const std::vector<bool>& keep) {
    const std::size_t width = channel.values.size() / channel.times.size();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < keep.size(); ++k) {
        if (!keep[k]) continue;
        channel.times[kept] = channel.times[k];
        std::copy_n(channel.values.begin() + std::ptrdiff_t(k * width), width,
                    channel.values.begin() + std::ptrdiff_t(kept++ * width));
    }
    channel.times.resize(kept);
    channel.values.resize(kept * width);
}

}  // namespace

std::size_t keyCount(const Clip& clip) {
    std::size_t count = 0;
    for (const Channel& channel : clip.channels) count += channel.times.size();
    return count;
}

std::size_t removeRepeatedKeys(Clip& clip) {
    const std::size_t before = keyCount(clip);
    std::vector<std::vector<bool>> keep;
    float begin = HUGE_VALF, end = -HUGE_VALF, kept_begin = begin, kept_end = end;
    for (const Channel& channel : clip.channels) {
        keep.push_back(KeyRuns(channel).needed());
        for (std::size_t k = 0; k < keep.back().size(); ++k) {
            begin = std::min(begin, channel.times[k]);
            end = std::max(end, channel.times[k]);
            if (!keep.back()[k]) continue;
            kept_begin = std::min(kept_begin, channel.times[k]);
            kept_end = std::max(kept_end, channel.times[k]);
        }
    }
    // One channel keeps the first key and one the last, so that the clip lasts as long as before.
    for (std::size_t c = 0; c < keep.size(); ++c) {
        const std::vector<float>& times = clip.channels[c].times;
        if (times.empty()) continue;
        if (kept_begin > begin && times.front() == begin) keep[c].front() = true, kept_begin = begin;
        if (kept_end < end && times.back() == end) keep[c].back() = true, kept_end = end;
    }
    for (std::size_t c = 0; c < keep.size(); ++c)
        if (!keep[c].empty()) keepKeys(clip.channels[c], keep[c]);
    return before - keyCount(clip);
}

}  // namespace pelt::rig
