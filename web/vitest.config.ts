import { defineConfig } from "vitest/config";

// One file after the other: most of them drive Chromium or the native program, which take both cores of a small machine.
export default defineConfig({
  test: {
    include: ["*/test/**/*.test.{ts,js}"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
