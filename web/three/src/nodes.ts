import type { Material } from "three";

type Nodes = typeof import("./webgpu.js");

let nodes: Nodes | null = null;
let loading: Promise<Nodes> | null = null;

/** The part for WebGPURenderer, which needs a second build of three.js: loaded on first use. */
export function loadNodes(): Promise<Nodes> {
  loading ??= nodes ? Promise.resolve(nodes) : import("./webgpu.js").then(useNodes, fail);
  return loading;
}

function fail(error: unknown): never {
  console.warn('@pelt/three: WebGPURenderer needs "three/webgpu", which could not be loaded; the plain skin plays.');
  throw error;
}

export function useNodes(loaded: Nodes): Nodes {
  nodes = loaded;
  return loaded;
}

/**
 * Gives a material the node that WebGPURenderer skins by. That renderer alone reads positionNode, so that reading it
 * tells which renderer there is. Until the other part is loaded, the first frames show the plain skin; a page that
 * wants none of them imports "@pelt/three/webgpu".
 */
export function prepareNodes(material: Material): void {
  let own: unknown = (material as Material & { positionNode?: unknown }).positionNode ?? null;
  Object.defineProperty(material, "positionNode", {
    configurable: true,
    enumerable: true,
    get: () => {
      if (nodes) return nodes.nodeFor(material, () => own);
      loadNodes().then(
        () => (material.needsUpdate = true),
        () => {},
      );
      return own;
    },
    set: (node: unknown) => void (own = node),
  });
}
