import { defineConfig } from "vitest/config";

// Two processes take one test file after the other. Files of a process share what they import: one Chromium, one native
// folder of generated characters, one compiled pelt.wasm (see test/browser.ts and tools/program.mjs).
export default defineConfig({
  test: {
    include: ["*/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    testTimeout: 240_000, // both cores of a small machine may be busy
    hookTimeout: 240_000,
  },
});
