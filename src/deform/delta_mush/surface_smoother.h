#pragma once

#include <pelt/deform/delta_mush.h>
#include <pelt/geometry/smoothing.h>

#include <optional>

namespace pelt::deform {

/// The smoothing of [LeLewis19] Eq. 2, implicit or explicit, of whole columns.
class SurfaceSmoother {
public:
    /// `lambda`: one per vertex of the Laplacian, checked by the caller.
    SurfaceSmoother(geometry::Laplacian laplacian, std::span<const Vec3f> positions, geometry::SmoothingKind kind,
                    int iterations, std::vector<double> lambda);

    /// Whether smoothing does not change the vertex.
    bool frozen(std::size_t vertex) const {
        return iterations_ == 0 || lambda_[vertex] == 0 || laplacian_.diagonal[vertex] == 0;
    }

    /// Smooths in place. Columns of one number per vertex follow each other; `scratch` has the size of `values`.
    void smooth(std::span<double> values, std::span<double> scratch) const;

private:
    void step(const double* from, double* to) const;

    geometry::Laplacian laplacian_;
    int iterations_;
    std::vector<double> lambda_;
    std::optional<geometry::ImplicitSmoother> implicit_;
};

}  // namespace pelt::deform
