// Text, scales, and several pictures on a sheet.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/render/render.h>
#include <render/text/text.h>
#include <render/text/ticks.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace pelt::render {
namespace {

std::vector<Panel> panelsOf(std::size_t count, int width, int height, const std::string& caption = "caption") {
    return std::vector<Panel>(count, Panel{Image(width, height, 180), caption});
}

int inkOf(const TextBitmap& text) { return std::accumulate(text.ink.begin(), text.ink.end(), 0); }

int darkPixels(const Image& image, int x0, int y0, int x1, int y1) {
    int count = 0;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) count += image.pixel(x, y)[1] < 128;
    return count;
}

TEST(Text, EveryGlyphOfACaptionHasInk) {
    for (const char* glyph : {"A", "g", "7", ".", "é", "ß", "λ", "κ", "α", "Ω", "→", "°", "·", "…", "−", "Ж"})
        for (const float size : {11.0f, 28.0f}) EXPECT_GT(inkOf(drawText(glyph, size)), 100) << glyph << ' ' << size;
    EXPECT_EQ(inkOf(drawText(" ", 20)), 0);
    EXPECT_EQ(inkOf(drawText("", 20)), 0);
}

TEST(Text, WidthGrowsWithTextAndSize) {
    EXPECT_EQ(textWidth("", 20), 0);
    EXPECT_LT(textWidth("ill", 20), textWidth("mmm", 20));
    EXPECT_NEAR(textWidth("Frame 12", 40), 2 * textWidth("Frame 12", 20), 0.01f);
    EXPECT_NEAR(textWidth("é", 20), textWidth("e", 20), 0.01f);
}

TEST(Text, GlyphsArePlacedInFractionsOfAPixel) {
    // Ten narrow letters at a small size: their pitch is no whole number, so they cannot all look alike.
    const TextBitmap text = drawText("iiiiiiiiii", 13);
    const float pitch = textWidth("i", 13);
    ASSERT_GT(std::abs(pitch - std::round(pitch)), 0.05f);
    EXPECT_NEAR(textWidth("iiiiiiiiii", 13), 10 * pitch, 1e-3f);
    std::vector<int> columns(text.width, 0);
    for (int y = 0; y < text.height; ++y)
        for (int x = 0; x < text.width; ++x) columns[x] += text.ink[static_cast<std::size_t>(y) * text.width + x];
    const int peak = *std::max_element(columns.begin(), columns.end());
    EXPECT_TRUE(std::any_of(columns.begin(), columns.end(), [&](int c) { return c > peak / 8 && c < peak / 2; }));
}

TEST(Text, Utf8IsDecodedAndBadBytesAreMarked) {
    EXPECT_EQ(codePoints("aé→😀"), (std::vector<int>{'a', 0xe9, 0x2192, 0x1f600}));
    EXPECT_EQ(codePoints("a\xff\xc3"), (std::vector<int>{'a', 0xfffd, 0xfffd}));
    EXPECT_EQ(codePoints("\xc0\xaf"), (std::vector<int>{0xfffd, 0xfffd}));  // overlong
    EXPECT_EQ(codePoints("\xed\xa0\x80").front(), 0xfffd);                  // surrogate
    EXPECT_EQ(codePoints("\xe2\x82"), (std::vector<int>{0xfffd, 0xfffd}));  // cut short
    EXPECT_EQ(codePoints(std::string_view("\0\n", 2)), (std::vector<int>{' ', ' '}));
}

TEST(Text, LongTextEndsInAnEllipsis) {
    EXPECT_EQ(fitted("short", 12, 500), "short");
    const std::string cut = fitted("a long caption about dual quaternions", 12, 100);
    EXPECT_LE(textWidth(cut, 12), 100);
    EXPECT_GT(textWidth(cut, 12), 70);
    EXPECT_TRUE(cut.ends_with("…"));
    EXPECT_TRUE(fitted("ééééééééééééééééééé", 12, 50).starts_with("éé"));
    EXPECT_EQ(fitted("anything", 12, 1), "…");
}

TEST(Text, TurnedTextReadsFromBelow) {
    TextBitmap text{2, 1, 1, {10, 20}};
    const TextBitmap up = turned(text);
    EXPECT_EQ(up.width, 1);
    EXPECT_EQ(up.height, 2);
    EXPECT_EQ(up.ink, (std::vector<std::uint8_t>{20, 10}));
}

TEST(Ticks, AreRoundNumbersWithinTheScale) {
    const auto labels = [](double low, double high) {
        std::vector<std::string> out;
        for (const Tick& t : makeTicks(low, high)) out.push_back(t.label);
        return out;
    };
    EXPECT_EQ(labels(0, 1), (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
    EXPECT_EQ(labels(0, 0.037),
              (std::vector<std::string>{"0", "0.005", "0.010", "0.015", "0.020", "0.025", "0.030", "0.035"}));
    EXPECT_EQ(labels(-3, 7), (std::vector<std::string>{"-2", "0", "2", "4", "6"}));
    EXPECT_EQ(labels(0, 4e-5), (std::vector<std::string>{"0", "1e-5", "2e-5", "3e-5", "4e-5"}));
    EXPECT_EQ(labels(0, 0), (std::vector<std::string>{"0"}));
    EXPECT_TRUE(labels(0, std::numeric_limits<double>::infinity()).empty());
    EXPECT_TRUE(labels(0, std::numeric_limits<double>::quiet_NaN()).empty());
    for (double high = 1e-9; high < 1e9; high *= 1.7) {
        const std::vector<Tick> ticks = makeTicks(0, high);
        EXPECT_GE(ticks.size(), 4u) << high;
        EXPECT_LE(ticks.size(), 10u) << high;
        for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_NE(ticks[i].label, ticks[i - 1].label);
        EXPECT_LE(ticks.back().position, 1.0001f);
    }
}

TEST(ContactSheet, RowsAndColumnsFollowTheCount) {
    const std::vector<Panel> six = panelsOf(6, 100, 80);
    const Image wide = contactSheet(six, 6), tall = contactSheet(six, 1), square = contactSheet(six);
    EXPECT_GT(wide.width, 600);
    EXPECT_LT(wide.width, 800);
    EXPECT_GT(tall.height, 480);
    EXPECT_LT(tall.width, 160);
    EXPECT_GT(square.width, 300);
    EXPECT_LT(square.width, 400);
    EXPECT_GT(square.height, 160);
    EXPECT_LT(square.height, 300);
    EXPECT_EQ(contactSheet(six, 100).width, wide.width);
}

TEST(ContactSheet, TitleCaptionsAndBarTakeTheirRoom) {
    const Image plain = contactSheet(panelsOf(2, 200, 150, ""), 2);
    const Image captions = contactSheet(panelsOf(2, 200, 150), 2);
    const Image title = contactSheet(panelsOf(2, 200, 150, ""), 2, "A title");
    const Image bar = contactSheet(panelsOf(2, 200, 150, ""), 2, {}, ColorBar{ColorMap::viridis, 0, 1, "error"});
    EXPECT_GT(captions.height, plain.height);
    EXPECT_GT(title.height, plain.height);
    EXPECT_EQ(bar.height, plain.height);
    EXPECT_GT(bar.width, plain.width + 40);
    EXPECT_EQ(darkPixels(plain, 0, 0, plain.width, plain.height), 0);
    EXPECT_GT(darkPixels(captions, 0, 150, captions.width, captions.height), 100);
    EXPECT_GT(darkPixels(title, 0, 0, title.width / 2, 30), 50);
    EXPECT_GT(darkPixels(bar, plain.width, 0, bar.width, bar.height), 100);
}

TEST(ContactSheet, BarRunsFromLowBelowToHighAbove) {
    const Image sheet = contactSheet(panelsOf(1, 200, 150, ""), 1, {}, ColorBar{ColorMap::blue_to_red, 0, 1, ""});
    int first_red = -1, last_blue = -1;
    for (int y = 0; y < sheet.height; ++y)
        for (int x = 200; x < sheet.width; ++x) {
            const std::uint8_t* p = sheet.pixel(x, y);
            if (p[0] > 240 && p[1] < 40 && p[2] < 10 && first_red < 0) first_red = y;
            if (p[2] > 240 && p[1] < 40 && p[0] < 10) last_blue = y;
        }
    EXPECT_GE(first_red, 0);
    EXPECT_GT(last_blue, first_red + 100);
}

TEST(ContactSheet, PanelsKeepTheirPixels) {
    std::vector<Panel> panels = panelsOf(1, 60, 40, "");
    panels[0].image.pixel(30, 20)[0] = 7;
    const Image sheet = contactSheet(panels);
    EXPECT_EQ(std::count(sheet.rgb.begin(), sheet.rgb.end(), 7), 1);
}

TEST(ContactSheet, LongCaptionsStayInTheirCell) {
    std::vector<Panel> panels = panelsOf(2, 160, 100, "");
    panels[0].caption = std::string(400, 'W');
    const Image sheet = contactSheet(panels, 2);
    const int bottom = sheet.height - 1, right = sheet.width / 2;
    EXPECT_GT(darkPixels(sheet, 0, 115, right, bottom), 50);
    EXPECT_EQ(darkPixels(sheet, right, 115, sheet.width, bottom), 0);
}

TEST(ContactSheet, OddInputsGiveASheet) {
    EXPECT_GT(contactSheet({}).width, 0);
    EXPECT_GT(contactSheet({}, 3, "title", ColorBar{}).width, 0);
    EXPECT_GT(contactSheet(panelsOf(2, 0, 0)).width, 0);
    EXPECT_GT(contactSheet(panelsOf(3, 1, 1), -5, "t", ColorBar{}).width, 0);
    std::vector<Panel> mixed = panelsOf(1, 50, 90);
    mixed.push_back({Image(90, 50, 100), "wide"});
    EXPECT_GT(contactSheet(mixed, 2).height, 90);
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_GT(contactSheet(panelsOf(1, 50, 50), 1, "", ColorBar{ColorMap::viridis, 0, inf, "e"}).width, 0);
}

}  // namespace
}  // namespace pelt::render
