#pragma once

#include <pelt/core/ddm_payload.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

namespace pelt::cli {

/// The options of Direct Delta Mush, as `mush` and `deform` share them. Only what is given changes settings.
class DdmFlags {
public:
    /// All of them, or all but --influences where that means another number.
    void addTo(CLI::App& verb, bool with_influences = true);

    /// Throws Error (bad usage) for a --joint-alpha that is no JOINT=a.
    void apply(DdmSettings& settings) const;
    bool given() const;

private:
    std::vector<std::pair<CLI::Option*, std::function<void(DdmSettings&)>>> flags_;
    DdmSettings values_;
    int iterations_ = 0, influences_ = 0;
    double lambda_ = 0, kappa_ = 0, alpha_ = 0;
    std::string connect_parts_, bind_;
    std::vector<std::string> joint_alpha_;
};

}  // namespace pelt::cli
