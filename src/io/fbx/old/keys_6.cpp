// OldKeys of FBX version 6: time, value, a letter for the interpolation, and what that needs.
#include "keys_6.h"

#include <charconv>
#include <cstring>

namespace pelt::io::fbx {
namespace {

/// The flags of version 7.
enum : std::uint32_t {
    kStepKey = 0x2,
    kLineKey = 0x4,
    kCubicKey = 0x8,
    kAutoKey = 0x100,
    kUserKey = 0x400,
    kBrokenKey = 0x800
};

/// Numbers and letters of a list, in order.
struct Token {
    double number = 0;
    char letter = 0;
};

std::vector<Token> textTokens(std::string_view list) {
    std::vector<Token> tokens;
    while (!list.empty()) {
        std::string_view part = list.substr(0, std::min(list.find(','), list.size()));
        list.remove_prefix(std::min(part.size() + 1, list.size()));
        while (!part.empty() && (static_cast<unsigned char>(part.front()) <= ' ' || part.front() == '"'))
            part.remove_prefix(1);
        if (part.empty()) continue;
        Token token;
        const bool number = std::from_chars(part.data(), part.data() + part.size(), token.number).ec == std::errc();
        if (!number) token.letter = part.front();
        tokens.push_back(token);
    }
    return tokens;
}

std::vector<Token> binaryTokens(std::string_view list) {
    std::vector<Token> tokens;
    const auto take = [&](auto item) {
        std::memcpy(&item, list.data(), sizeof item);
        list.remove_prefix(sizeof item);
        return static_cast<double>(item);
    };
    while (!list.empty()) {
        const char type = list.front();
        list.remove_prefix(1);
        Token token;
        if (type == 'S' || type == 'R') {
            const auto size = static_cast<std::size_t>(take(std::uint32_t()));
            token.letter = size > 0 ? list.front() : ' ';
            list.remove_prefix(size);
        } else if (type == 'C' || type == 'B') {
            token.letter = static_cast<char>(take(std::uint8_t()));
        } else {
            token.number = type == 'D'   ? take(double())
                           : type == 'L' ? take(std::int64_t())
                           : type == 'F' ? take(float())
                           : type == 'I' ? take(std::int32_t())
                                         : take(std::int16_t());
        }
        tokens.push_back(token);
    }
    return tokens;
}

std::vector<Token> tokensOf(const Element& keys) {
    if (!keys.list.empty()) return keys.values.front().encoding == 2 ? binaryTokens(keys.list) : textTokens(keys.list);
    std::vector<Token> tokens;
    for (const Value& value : keys.values) {
        const bool letter = value.type == 'S' || (!value.text.empty() && (value.text.front() | 32) >= 'a');
        tokens.push_back({value.real, letter && !value.text.empty() ? value.text.front() : char(0)});
    }
    return tokens;
}

struct OldKeys {
    std::vector<double> times, values, flags, data;
};

OldKeys readKeys(const std::vector<Token>& tokens) {
    OldKeys keys;
    std::size_t at = 0;
    const auto letter = [&] { return at < tokens.size() ? tokens[at].letter : char(0); };
    const auto number = [&] { return at < tokens.size() && !tokens[at].letter ? tokens[at++].number : 0.0; };
    while (at + 2 < tokens.size() && !tokens[at].letter && !tokens[at + 1].letter) {
        keys.times.push_back(tokens[at].number);
        keys.values.push_back(tokens[at + 1].number);
        at += 2;
        double right = 0, left = 0;
        std::uint32_t flags = kLineKey;
        const char kind = letter();
        if (kind) ++at;
        if (kind == 'C') {
            flags = kStepKey | (letter() == 'n' ? kAutoKey : 0U);
            if (letter()) ++at;
        } else if (kind == 'U') {
            const char mode = letter();
            flags = kCubicKey | kAutoKey;
            if (mode) ++at;
            if (mode == 's' || mode == 'b' || mode == 'v') {
                flags = kCubicKey | (mode == 'b' ? kBrokenKey : kUserKey);
                right = number();
                left = number();
            }
        }
        // Weights and velocities: their letters, and what belongs to them, up to the time of the next key.
        while (letter()) {
            const char more = letter();
            ++at;
            const int count = more == 'a' ? 2 : more == 'r' || more == 'l' ? 1 : 0;
            for (int i = 0; i < count; ++i) number();
        }
        keys.flags.push_back(flags);
        keys.data.insert(keys.data.end(), {right, left, 0, 0});
    }
    return keys;
}

}  // namespace

Element madeArray(Tree& tree, std::string_view name, std::span<const double> numbers) {
    const auto bytes = std::as_bytes(numbers);
    tree.made.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Element element;
    element.name = name;
    Value value;
    value.type = 'd';
    value.text = tree.made.back();
    value.count = static_cast<std::uint32_t>(numbers.size());
    element.values.push_back(value);
    return element;
}

void addKeys(const Element& channel, Tree& tree, Element& curve) {
    const Element* list = channel.find("Key");
    if (!list) return;
    const OldKeys keys = readKeys(tokensOf(*list));
    curve.children.push_back(madeArray(tree, "KeyTime", keys.times));
    curve.children.push_back(madeArray(tree, "KeyValueFloat", keys.values));
    curve.children.push_back(madeArray(tree, "KeyAttrFlags", keys.flags));
    curve.children.push_back(madeArray(tree, "KeyAttrDataFloat", keys.data));
}

}  // namespace pelt::io::fbx
