// pelt batch: the page that shows what was made.
#include "batch_fixture.h"

namespace {

namespace fs = std::filesystem;

class BatchGallery : public BatchTest {
protected:
    std::string page() const { return readBytes(path("report.html")); }
    static std::size_t count(const std::string& text, const std::string& word) {
        std::size_t found = 0;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
        return found;
    }
};

}  // namespace

TEST_F(BatchGallery, EveryCharacterHasACardWithPicturesErrorsAndTimes) {
    copyBar("good.glb");
    writeBytes(path("bad<b>.glb"), "no character");
    manifest({{{"id", "good-mush"}, {"argv", {"mush", "good.glb", "-o", "mushed.glb"}}, {"character", "good"}},
              {{"id", "good"},
               {"argv", {"bake", "mushed.glb", "-o", "baked.glb"}},
               {"after", {"good-mush"}},
               {"facts", {{"artist", "R & D"}}}},
              mushItem("bad<b>")});
    const RunResult result = runPelt({"batch", path("jobs.jsonl"), "--html", path("report.html")});
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(report().size(), 3u) << "pictures are no items of the report";
    const std::string text = page();
    EXPECT_EQ(count(text, "<article"), 2u) << text;
    EXPECT_EQ(count(text, "<img "), 2u) << text;
    EXPECT_LT(text.find("<h2>bad&lt;b&gt;</h2>"), text.find("<h2>good</h2>")) << "what is wrong comes first";
    EXPECT_NE(text.find("R &amp; D"), std::string::npos);
    EXPECT_NE(text.find("bad&lt;b&gt;.glb: byte 2: "), std::string::npos) << text;
    EXPECT_NE(text.find("<td>bake<td>"), std::string::npos);
    const std::size_t source = text.find("src=\"") + 5;
    EXPECT_TRUE(fs::exists(path(text.substr(source, text.find('"', source) - source)))) << "relative to the page";
    const std::string before = page();
    runPelt({"batch", path("jobs.jsonl"), "--html", path("report.html")});
    EXPECT_EQ(count(page(), "(2 before)"), 1u);
}

TEST_F(BatchGallery, PicturesThatTheManifestMakesAreShownInsteadOfOthers) {
    copyBar("hero.glb");
    manifest({{{"id", "a"}, {"argv", {"bind", "hero.glb", "-o", "bound.glb"}}, {"character", "hero"}},
              {{"id", "b"},
               {"argv", {"render", "bound.glb", "--size", "64x64", "-o", "my picture.png"}},
               {"character", "hero"}}});
    runWell({"batch", path("jobs.jsonl"), "--html", path("report.html")});
    EXPECT_EQ(count(page(), "<img "), 1u);
    EXPECT_NE(page().find("src=\"my%20picture.png\""), std::string::npos) << page();
}

TEST_F(BatchGallery, AFolderThatIsMissingIsSaidBeforeAnyWork) {
    copyBar("a.glb");
    manifest({mushItem("a")});
    expectFailure(runPelt({"batch", path("jobs.jsonl"), "--html", path("none/report.html")}), 1, "make it first");
    expectFailure(runPelt({"batch", path("jobs.jsonl"), "--report", path("none/report.jsonl")}), 1, "make it first");
    EXPECT_FALSE(fs::exists(path("out")));
}
