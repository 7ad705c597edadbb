// Rows of a few channels in registers, for kernels that traverse sparse matrices. Included once per instruction set.
#if defined(PELT_GEOMETRY_ROW_KERNEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PELT_GEOMETRY_ROW_KERNEL_INL_H
#undef PELT_GEOMETRY_ROW_KERNEL_INL_H
#else
#define PELT_GEOMETRY_ROW_KERNEL_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pelt::geometry {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `kWidth` channels in as few registers as possible: full ones first, then halves down to single numbers.
template <std::size_t kWidth, std::size_t kBegin = 0>
struct Row {
    static constexpr std::size_t kLeft = kWidth - kBegin;
    using D = hn::CappedTag<double, kLeft >= 8 ? 8 : kLeft >= 4 ? 4 : kLeft >= 2 ? 2 : 1>;
    static constexpr std::size_t kLanes = hn::MaxLanes(D());
    using Rest = Row<kWidth, kBegin + kLanes>;

    hn::Vec<D> head;
    Rest rest;

    HWY_INLINE void load(const double* x) {
        head = hn::LoadU(D(), x + kBegin);
        rest.load(x);
    }
    HWY_INLINE void store(double* x) const {
        hn::StoreU(head, D(), x + kBegin);
        rest.store(x);
    }
    HWY_INLINE void scale(double factor) {
        head = hn::Mul(head, hn::Set(D(), factor));
        rest.scale(factor);
    }
    /// this += factor * other
    HWY_INLINE void add(double factor, const Row& other) {
        head = hn::MulAdd(hn::Set(D(), factor), other.head, head);
        rest.add(factor, other.rest);
    }
};

template <std::size_t kWidth>
struct Row<kWidth, kWidth> {
    HWY_INLINE void load(const double*) {}
    HWY_INLINE void store(double*) const {}
    HWY_INLINE void scale(double) {}
    HWY_INLINE void add(double, const Row&) {}
};

}  // namespace HWY_NAMESPACE
}  // namespace pelt::geometry
HWY_AFTER_NAMESPACE();

#endif
