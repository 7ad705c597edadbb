// Reads JSON values so that every error says where the value is.
#include "json.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>
#include <limits>

namespace pelt::io::gltf {

void JsonRef::fail(const std::string& message) const { throw Error::badInput({*file_, place_}, message); }

std::optional<JsonRef> JsonRef::find(const char* key) const {
    if (!value_->is_object()) fail("must be a JSON object; re-export the file");
    const auto member = value_->find(key);
    if (member == value_->end()) return std::nullopt;
    return JsonRef(*member, *file_, place_.empty() ? key : fmt::format("{}.{}", place_, key));
}

JsonRef JsonRef::at(const char* key) const {
    if (auto member = find(key)) return *member;
    fail(fmt::format("'{}' is missing; re-export the file", key));
}

JsonRef JsonRef::element(std::size_t index) const {
    return {(*value_)[index], *file_, fmt::format("{}[{}]", place_, index)};
}

std::size_t JsonRef::size() const {
    if (!value_->is_array()) fail("must be a JSON array; re-export the file");
    return value_->size();
}

std::uint64_t JsonRef::asUnsigned() const {
    if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
    if (value_->is_number_integer() && value_->get<std::int64_t>() >= 0) return value_->get<std::uint64_t>();
    // JSON has only one kind of number: 5.0 is an integer too.
    if (value_->is_number_float()) {
        const double number = value_->get<double>();
        if (number >= 0 && number < 9e15 && number == std::floor(number)) return static_cast<std::uint64_t>(number);
    }
    fail(fmt::format("must be a non-negative integer; re-export the file"));
}

std::size_t JsonRef::asIndex(const char* collection, std::size_t count) const {
    const std::uint64_t index = asUnsigned();
    if (index >= count)
        fail(fmt::format("{}[{}] does not exist (the file has {}); re-export the file", collection, index, count));
    return static_cast<std::size_t>(index);
}

double JsonRef::asFinite() const {
    if (!value_->is_number()) fail("must be a number; re-export the file");
    const double number = value_->get<double>();
    if (!std::isfinite(number)) fail("must be finite; re-export the file");
    return number;
}

float JsonRef::asFloat() const {
    const double number = asFinite();
    if (std::abs(number) > std::numeric_limits<float>::max())
        fail("is too large for single precision; re-export the file");
    return static_cast<float>(number);
}

bool JsonRef::asBool() const {
    if (!value_->is_boolean()) fail("must be true or false; re-export the file");
    return value_->get<bool>();
}

const std::string& JsonRef::asString() const {
    if (!value_->is_string()) fail("must be a string; re-export the file");
    return value_->get_ref<const std::string&>();
}

std::uint64_t JsonRef::unsignedOr(const char* key, std::uint64_t fallback) const {
    const auto member = find(key);
    return member ? member->asUnsigned() : fallback;
}

bool JsonRef::boolOr(const char* key, bool fallback) const {
    const auto member = find(key);
    return member ? member->asBool() : fallback;
}

std::string JsonRef::stringOr(const char* key, const std::string& fallback) const {
    const auto member = find(key);
    return member ? member->asString() : fallback;
}

std::optional<std::size_t> JsonRef::indexOf(const char* key, const char* collection, std::size_t count) const {
    const auto member = find(key);
    if (!member) return std::nullopt;
    return member->asIndex(collection, count);
}

std::optional<JsonRef> findExtension(const JsonRef& object, const char* name) {
    const auto extensions = object.find("extensions");
    return extensions ? extensions->find(name) : std::nullopt;
}

}  // namespace pelt::io::gltf
