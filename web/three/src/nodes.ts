import type { Material } from "three";
import { onPrepare } from "./materials.js";

type Nodes = typeof import("./webgpu.js");

let nodes: Nodes | null = null;
let loading: Promise<Nodes> | null = null;

/** The part for WebGPURenderer, which needs a second build of three.js: loaded when it is asked for. */
export function loadNodes(): Promise<Nodes> {
  loading ??= import("./webgpu.js").then((loaded) => (nodes = loaded));
  return loading;
}

// WebGPURenderer alone reads positionNode, so that reading it tells which renderer there is. Until the other part is
// loaded, a few frames show the plain skin; a page that wants none of them imports "@pelt/three/webgpu" itself.
onPrepare((material) => {
  let own: unknown = (material as Material & { positionNode?: unknown }).positionNode ?? null;
  Object.defineProperty(material, "positionNode", {
    configurable: true,
    enumerable: true,
    get: () => {
      if (nodes) return nodes.nodeFor(material, () => own);
      void loadNodes().then(() => (material.needsUpdate = true));
      return own;
    },
    set: (node: unknown) => void (own = node),
  });
});
