#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::io::fbx {

/// One value of an element. Arrays of a binary file are decompressed when needed.
struct Value {
    char type = 0;  ///< 'L' integer, 'D' real, 'S' text, 'R' raw bytes, or the array codes f d l i b c
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text;                  ///< also the bytes of raw values and of packed arrays
    std::uint32_t count = 0, encoding = 0;  ///< of an array
};

/// FBX is a tree of named elements with values; both its binary and text forms are read into this. Texts and packed
/// arrays point into the file's bytes. Of a long list of values only the first are in `values`; array() reads all.
struct Element {
    std::string_view name;
    std::vector<Value> values;
    std::string_view list;  ///< the values of a long list as the file has them: text, or binary values with their types
    std::vector<Element> children;

    const Element* find(std::string_view child) const;
    std::int64_t integer(std::size_t index, std::int64_t fallback = 0) const;
    double real(std::size_t index, double fallback = 0) const;
    std::string_view text(std::size_t index) const;
    /// The array of the element, or the list of its values, as float, double or int32_t; empty if there is none. What
    /// does not fit an integer becomes its limit. Throws Error (bad input) for damaged compressed data.
    template <class T>
    std::vector<T> array() const;
    /// Those of a child, empty if there is none.
    template <class T>
    std::vector<T> arrayOf(std::string_view child) const;
};

struct Tree {
    Element root;
    std::uint32_t version = 0;
    bool is_text = false;
    std::deque<std::string> made;  ///< texts that are not in the file
};

/// Throws Error (bad input) with the byte at which the file is damaged. The tree is that of version 7, also for files
/// of version 6.
Tree parse(std::span<const std::byte> bytes);

Tree parseBinary(std::span<const std::byte> bytes);
Tree parseText(std::string_view text);
bool isBinary(std::span<const std::byte> bytes);

/// Turns the tree of a file of version 6, where objects are known by their names, into that of version 7.
void upgrade(Tree& tree);

inline constexpr int kDeepestElement = 64;
inline constexpr std::size_t kLongestShortList = 32;  ///< longer lists of values are read by array()

}  // namespace pelt::io::fbx
