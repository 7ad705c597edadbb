#pragma once

#include <pelt/core/progress.h>

#include "bind/rigid/bind_surface.h"

namespace pelt::bind::transfer {

/// Where a vertex would copy from.
struct Match {
    geometry::SurfacePlace
        place;            ///< the nearest point or, if it agrees better, the nearest one that faces the same way
    double distance = 0;  ///< to the nearest point
    bool agrees = false;  ///< in distance and normal: what is copied can be trusted
};

/// One per welded vertex of `to`. `reach`: the largest distance that agrees; `angle` in degrees.
std::vector<Match> matchSurfaces(const BindSurface& from, const BindSurface& to, double reach, double angle,
                                 const Progress& progress);

/// The nearest points alone; all agree.
std::vector<Match> nearestPlaces(const BindSurface& from, const BindSurface& to, const Progress& progress);

}  // namespace pelt::bind::transfer
