#pragma once

#include "io/fbx/tree/tree.h"

namespace pelt::io::fbx {

/// The keys of an animation channel of version 6 ("Key: 0,1.5,U,s,0,0,n, …") as the elements of a curve of version 7.
void addKeys(const Element& channel, Tree& tree, Element& curve);

/// An element that has one array or one text of `tree.made`.
Element madeArray(Tree& tree, std::string_view name, std::span<const double> numbers);

}  // namespace pelt::io::fbx
