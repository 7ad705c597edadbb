// How the programs are compiled and linked.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "places.h"

namespace {

std::string outputOf(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string text;
    char buffer[4096];
    while (pipe) {
        const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe.get());
        if (got == 0) break;
        text.append(buffer, got);
    }
    return text;
}

}  // namespace

TEST(Hardening, ProgramsAreLinkedAndCompiledAgainstAttacks) {
#ifdef PELT_SANITIZED
    GTEST_SKIP() << "a sanitizer looks for the same, closer";
#endif
    for (const std::string program : {kProgram, kImportProgram}) {
        SCOPED_TRACE(program);
        const std::string headers = outputOf("readelf -hlW '" + program + "' 2>/dev/null");
        if (headers.empty()) GTEST_SKIP() << "there is no readelf";
        const std::string dynamic = outputOf("readelf -dW '" + program + "'");
        const std::string symbols = outputOf("readelf --dyn-syms -W '" + program + "'");
        EXPECT_NE(headers.find("GNU_RELRO"), std::string::npos) << "RELRO";
        EXPECT_NE(dynamic.find("NOW"), std::string::npos) << "full RELRO";
        EXPECT_NE(headers.find("DYN ("), std::string::npos) << "position-independent";
        const std::size_t stack = headers.find("GNU_STACK");
        ASSERT_NE(stack, std::string::npos);
        EXPECT_EQ(headers.substr(stack, headers.find('\n', stack) - stack).find('E'), std::string::npos);
        EXPECT_NE(symbols.find("__stack_chk_fail"), std::string::npos) << "stack protector";
#ifdef NDEBUG
        EXPECT_NE(symbols.find("_chk@GLIBC"), std::string::npos) << "_FORTIFY_SOURCE";
#endif
    }
}
