// "@pelt/three/webgpu": for pages that draw with WebGPURenderer alone, and want the first frame to be right.
import { useNodes } from "./nodes.js";
import * as nodes from "./webgpu.js";

useNodes(nodes);

export * from "./index.js";
