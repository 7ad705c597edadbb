// The text form of FBX:  Name: value, value { nested elements }  with ';' comments.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <charconv>

#include "tree.h"

namespace pelt::io::fbx {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool endsWord(char c) { return isSpace(c) || c == ',' || c == ':' || c == '{' || c == '}' || c == '"' || c == ';'; }

class TextReader {
public:
    explicit TextReader(std::string_view text) : text_(text) {}

    Tree read() {
        Tree tree;
        tree.is_text = true;
        readElements(tree.root, 0);
        if (at_ < text_.size()) fail("a '}' too many");
        return tree;
    }

private:
    [[noreturn]] void fail(const char* what) const {
        throw Error::badInput(fmt::format("the FBX text is damaged at byte {}: {}; export the file again", at_, what));
    }

    void skip() {
        while (at_ < text_.size()) {
            if (isSpace(text_[at_])) {
                ++at_;
            } else if (text_[at_] == ';') {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            } else {
                return;
            }
        }
    }
    bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

    std::string_view word() {
        const std::size_t start = at_;
        while (at_ < text_.size() && !endsWord(text_[at_])) ++at_;
        if (at_ == start) fail("a name or a value is missing");
        return text_.substr(start, at_ - start);
    }

    void readElements(Element& parent, int depth) {
        if (depth > kDeepestElement) fail("elements are nested too deeply");
        for (skip(); at_ < text_.size() && !at('}'); skip()) {
            Element element;
            element.name = word();
            if (!at(':')) fail("a ':' is missing after a name");
            ++at_;
            readValues(element);
            if (at('{')) {
                ++at_;
                readElements(element, depth + 1);
                if (!at('}')) fail("a '}' is missing");
                ++at_;
            }
            parent.children.push_back(std::move(element));
        }
    }

    void readValues(Element& element) {
        skip();
        if (at_ >= text_.size() || at('{') || at('}')) return;
        const std::size_t start = at_;
        // If a name follows directly (except in "Content: , …"), this element has no value.
        if (!at('"') && !at(',')) {
            word();
            const bool is_name = at(':');
            at_ = start;
            if (is_name) return;
        }
        std::size_t count = 0, end = start;
        while (true) {
            skip();
            if (!at(',')) {
                const Value value = readValue();
                if (count < kLongestShortList) element.values.push_back(value);
                ++count;
                end = at_;
                skip();
            }
            if (!at(',')) break;
            ++at_;
        }
        if (count > kLongestShortList) element.list = text_.substr(start, end - start);
    }

    Value readValue() {
        Value value;
        if (at('"')) {
            const std::size_t end = text_.find('"', at_ + 1);
            if (end == std::string_view::npos) fail("a text has no end");
            value.type = 'S';
            value.text = text_.substr(at_ + 1, end - at_ - 1);
            at_ = end + 1;
            return value;
        }
        const std::string_view token = word();
        const char *first = token.data(), *last = first + token.size();
        value.type = 'D';
        value.text = token;
        if (token == "Y" || token == "T") value.integer = 1;
        std::from_chars(first + (token.front() == '*'), last, value.integer);
        if (std::from_chars(first, last, value.real).ec != std::errc()) value.real = static_cast<double>(value.integer);
        return value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Tree parseText(std::string_view text) { return TextReader(text).read(); }

}  // namespace pelt::io::fbx
