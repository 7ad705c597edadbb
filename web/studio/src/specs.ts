import type { Loaded, MethodSpec } from "./engine/protocol.js";
import { attributeOf } from "./file/attributes.js";
import { mapNames, type Settings } from "./state/settings.js";

const mushKeys = ["lambda", "kappa", "alpha", "iterations", "bind", "laplacian", "smoothing"] as const;
/** Iterative Delta Mush has no translations to smooth and nothing to bind. */
const iterativeKeys = ["lambda", "iterations", "laplacian", "smoothing"] as const;

/** Options of Direct Delta Mush that differ from what the file stores or Pelt derives. */
export function mushOptions(settings: Readonly<Settings>): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const key of mushKeys) if (settings[key] !== null) options[key] = settings[key];
  const joints = Object.entries(settings.jointAlpha);
  if (joints.length > 0) options.jointAlpha = joints.map(([joint, alpha]) => `${joint}=${alpha}`);
  for (const map of mapNames) if (settings.maps[map]) options[`${map}Map`] = attributeOf(map);
  return options;
}

export function specOf(method: string, settings: Readonly<Settings>): MethodSpec {
  if (method.startsWith("ddm") || method === "eddm") return { method, options: mushOptions(settings) };
  if (!method.startsWith("dm")) return { method, options: {} };
  const options: Record<string, unknown> = {};
  for (const key of iterativeKeys) if (settings[key] !== null) options[key] = settings[key];
  return { method, options };
}

/** The first and the last moment of the clip that is set. */
export function clipRange(clip: string | null, loaded: Loaded): [number, number] {
  if (clip === "@range") return [0, loaded.rangeSeconds];
  const found = loaded.clips.find(({ name }) => name === clip) ?? loaded.clips[Number(clip ?? NaN)];
  return found ? [found.start, found.start + found.seconds] : [0, 0];
}
