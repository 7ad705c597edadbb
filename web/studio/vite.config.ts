import { defineConfig } from "vite";

// The built folder works from any folder of any web server: all addresses are relative.
export default defineConfig({
  base: "./",
  build: { target: "esnext", chunkSizeWarningLimit: 1500, assetsInlineLimit: 0, reportCompressedSize: false },
  worker: { format: "es" },
});
