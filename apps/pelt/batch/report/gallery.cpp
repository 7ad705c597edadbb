// The page with a card per character.
#include "batch/report/gallery.h"

#include <fmt/format.h>
#include <pelt/io/atomic_file.h>

#include <algorithm>
#include <map>
#include <set>

#include "batch/plan/arguments.h"

namespace pelt::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewItems = 6;  ///< whose times a card shows without being asked

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --soft: #777; --bad: #c0392b; --card: #fff; --page: #f4f4f2 }}
@media (prefers-color-scheme: dark) {{ :root {{ --card: #222; --page: #181818; --soft: #999; --bad: #ff7a6b }} }}
body {{ font: 14px/1.45 system-ui, sans-serif; margin: 2em; background: var(--page) }}
h1 {{ font-size: 1.5em; margin: 0 }} h2 {{ font-size: 1.05em; margin: .6em 0 .1em; overflow-wrap: anywhere }}
p {{ margin: .2em 0 }} small, .soft {{ color: var(--soft) }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 16px; margin-top: 1.5em }}
article {{ overflow-wrap: anywhere; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; min-width: 0 }}
article.bad {{ border-color: var(--bad) }}
.pictures {{ display: flex; gap: 8px }} .pictures img {{ width: 0; flex: 1; border-radius: 4px; aspect-ratio: 1;
object-fit: contain; background: #e7e8ea }}
.bad p.error, b.bad {{ color: var(--bad); overflow-wrap: anywhere }}
table {{ border-collapse: collapse; width: 100%; margin-top: .5em; font-variant-numeric: tabular-nums }}
td, th {{ text-align: right; padding: 2px 0 2px 10px; font-weight: normal; border-top: 1px solid var(--line) }}
td:first-child, th:first-child {{ text-align: left; padding-left: 0; overflow-wrap: anywhere }}
th {{ color: var(--soft); border: 0 }} summary {{ color: var(--soft); margin-top: .5em; cursor: pointer }}
</style>
)";

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    return safe;
}

/// A relative path as an address.
std::string addressOf(const fs::path& path) {
    std::string address;
    for (const char c : path.generic_string())
        address += std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                           std::string_view("/._-~").find(c) != std::string_view::npos
                       ? std::string(1, c)
                       : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return address;
}

struct Card {
    std::string name;
    std::vector<std::size_t> items, pictures;
    bool bad = false;
};

bool isBad(const Record& record) { return !record.done() && record.status != "gate" && record.status != "skipped"; }

std::vector<Card> makeCards(const Plan& plan, const Results& results) {
    std::vector<Card> cards;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
        const Item& item = plan.items[i];
        const std::string& name = item.character.empty() ? item.id : item.character;
        const auto place = places.emplace(name, cards.size()).first->second;
        if (place == cards.size()) cards.push_back({name, {}, {}, false});
        Card& card = cards[place];
        if (!item.picture) card.items.push_back(i), card.bad |= isBad(results.records[i]);
        if (item.argv[0] == "render" && results.records[i].done()) card.pictures.push_back(i);
    }
    std::stable_partition(cards.begin(), cards.end(), [](const Card& card) { return card.bad; });
    return cards;
}

std::string pictures(const Card& card, const Plan& plan, const fs::path& page) {
    std::string html;
    for (const std::size_t i : card.pictures)
        for (const fs::path& output : outputsOf(plan.items[i].argv)) {
            const fs::path file = (plan.folder / output).lexically_relative(fs::absolute(page).parent_path());
            html += fmt::format("<img loading=\"lazy\" src=\"{}\" alt=\"{}\" title=\"{}\">", addressOf(file),
                                escaped(plan.items[i].id), escaped(joinWords(plan.items[i].argv)));
        }
    return html.empty() ? "" : "<div class=\"pictures\">" + html + "</div>";
}

/// "6143 vertices, 52 joints", of the last item that says both.
std::string sizeOf(const Card& card, const Results& results) {
    std::string size;
    for (const std::size_t i : card.items) {
        const Json& json = results.records[i].json;
        if (!json.is_object() || !json.contains("vertices") || !json["vertices"].is_number()) continue;
        const bool listed = json.contains("joints") && json["joints"].is_array();
        const bool counted = json.contains("bones") && json["bones"].is_number();
        const std::string vertices = fmt::format("{} vertices", json["vertices"].get<std::size_t>());
        if (listed || counted)
            size = fmt::format("{}, {} joints", vertices,
                               listed ? json["joints"].size() : json["bones"].get<std::size_t>());
        else if (size.empty())
            size = vertices;
    }
    return size;
}

std::string shownNumber(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_number()
               ? fmt::format("{:.3g}", json[key].get<double>())
               : "";
}

/// The verb, or for several of one verb in a card the word that tells them apart.
std::string labelOf(const Item& item) {
    for (std::size_t k = 0; k + 1 < item.argv.size(); ++k)
        if (item.argv[k] == "--method") return item.argv[0] + " " + item.argv[k + 1];
    return item.argv[0];
}

std::string itemRow(const Item& item, const Record& record) {
    const std::string status =
        record.done() ? "" : fmt::format(" <b class=\"{}\">{}</b>", isBad(record) ? "bad" : "soft", record.status);
    const bool ran = record.attempts > 0;
    return fmt::format("<tr title=\"{}\"><td>{}{}<td>{}<td>{}<td>{}\n", escaped(item.id), escaped(labelOf(item)),
                       status, shownNumber(record.json, "e_rms"), ran ? fmt::format("{:.2f}", record.seconds) : "",
                       ran ? fmt::format("{:.0f}", double(record.peak_bytes) / 1e6) : "");
}

/// What verbs warned of and found, each once.
std::string remarks(const Card& card, const Results& results) {
    std::set<std::string> seen;
    std::string html;
    for (const std::size_t i : card.items)
        for (const char* key : {"problems", "warnings"}) {
            const Json& json = results.records[i].json;
            if (!json.is_object() || !json.contains(key)) continue;
            for (const Json& text : json[key])
                if (text.is_string() && seen.insert(text).second)
                    html += fmt::format("<p><small>{}</small>", escaped(text.get<std::string>()));
        }
    return html;
}

std::string facts(const Card& card, const Plan& plan) {
    std::string html;
    for (const std::size_t i : card.items)
        for (const auto& [key, value] : plan.items[i].facts.items())
            html += fmt::format("<tr><td>{}<td>{}\n", escaped(key),
                                value.is_number_float() ? fmt::format("{:.3g}", value.get<double>())
                                : value.is_string()     ? escaped(value.get<std::string>())
                                                        : escaped(value.dump()));
    return html.empty() ? "" : "<table>" + html + "</table>";
}

std::string itemTable(const Card& card, const Plan& plan, const Results& results) {
    double seconds = 0;
    std::string rows;
    for (const std::size_t i : card.items) {
        seconds += results.records[i].seconds;
        rows += itemRow(plan.items[i], results.records[i]);
    }
    return fmt::format(
        "<details{}><summary>{} items, {:.2f} s</summary><table><tr><th>verb<th>E_RMS<th>seconds<th>MB\n"
        "{}</table></details>",
        card.items.size() <= kFewItems ? " open" : "", card.items.size(), seconds, rows);
}

std::string cardHtml(const Card& card, const Plan& plan, const Results& results, const fs::path& page) {
    std::string html = fmt::format("<article{}>{}<h2>{}</h2><p class=\"soft\">{}", card.bad ? " class=\"bad\"" : "",
                                   pictures(card, plan, page), escaped(card.name), sizeOf(card, results));
    for (const std::size_t i : card.items)
        if (const Record& record = results.records[i]; !record.done())
            html += fmt::format("<p class=\"error\">{}: {}", escaped(labelOf(plan.items[i])), escaped(record.error));
    html += facts(card, plan) + itemTable(card, plan, results);
    return html + remarks(card, results) + "</article>\n";
}

}  // namespace

void writeGallery(const fs::path& page, const Plan& plan, const Results& results) {
    const std::vector<Card> cards = makeCards(plan, results);
    const Totals totals = totalsOf(plan, results);
    const auto ill = std::count_if(cards.begin(), cards.end(), [](const Card& card) { return card.bad; });
    const std::string title = fmt::format("{} characters", cards.size());
    io::AtomicFile file(page);
    file.write(fmt::format(fmt::runtime(kHead), title));
    file.write(fmt::format("<h1>{}</h1><p>{}; {} with errors; {:.1f} s of CPU\n<main>\n", title, countsOf(totals), ill,
                           totals.cpu_seconds));
    for (const Card& card : cards) file.write(cardHtml(card, plan, results, page));
    file.write("</main></html>\n");
    file.commit();
}

}  // namespace pelt::batch
