// Debian's Chromium for tests, benchmarks and the scripts that make pictures.
import { chromium } from "playwright-core";

const drivers = {
  processor: [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
  ],
  gpu: ["--use-angle=vulkan", "--enable-features=Vulkan"],
};

/** `gpu`: the machine's own Vulkan driver draws, otherwise the processor. */
export function launch({ gpu = false } = {}) {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--no-first-run",
      "--ignore-gpu-blocklist",
      // It calls nobody.
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...drivers[gpu ? "gpu" : "processor"],
    ],
  });
}
