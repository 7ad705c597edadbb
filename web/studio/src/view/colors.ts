import type { Curves, Weights } from "../engine/protocol.js";
import { errorRamp, weightRamp } from "./ramp.js";

/** The distance of each vertex of `b` from `a`, as a color; the end of the scale is `top`. */
export function paintErrors(a: Float32Array, b: Float32Array, top: number, colors: Float32Array): void {
  const scale = top > 0 ? 1 / top : 0;
  for (let i = 0; i < a.length; i += 3)
    errorRamp(scale * Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]), colors, i);
}

/** A view's distance from the first. */
export interface ViewError {
  rms: number;
  max: number;
}

/** The errors over a clip at the sample nearest to a moment, of the second view and of further ones. */
export function errorsAt({ times, curves }: Curves, time: number): ViewError[] {
  let at = 0;
  times.forEach((sample, i) => Math.abs(sample - time) < Math.abs(times[at] - time) && (at = i));
  return curves.map(({ rms, max }) => ({ rms: rms[at], max: max[at] }));
}

export function errorsOf(a: Float32Array, b: Float32Array): ViewError {
  let sum = 0,
    largest = 0;
  for (let i = 0; i < a.length; i += 3) {
    const squared = (a[i] - b[i]) ** 2 + (a[i + 1] - b[i + 1]) ** 2 + (a[i + 2] - b[i + 2]) ** 2;
    sum += squared;
    largest = Math.max(largest, squared);
  }
  return { rms: Math.sqrt((3 * sum) / Math.max(a.length, 1)), max: Math.sqrt(largest) };
}

/** The weights of one joint. */
export function paintWeights(weights: Weights, joint: number, colors: Float32Array): void {
  for (let v = 0; v + 1 < weights.offsets.length; ++v) {
    let value = 0;
    for (let k = weights.offsets[v]; k < weights.offsets[v + 1]; ++k)
      if (weights.joints[k] === joint) value += weights.values[k];
    weightRamp(value, colors, 3 * v);
  }
}

/** All joints at once, a hue each. */
export function paintJoints(weights: Weights, colors: Float32Array): void {
  for (let v = 0; v + 1 < weights.offsets.length; ++v) {
    let [r, g, b] = [0, 0, 0];
    for (let k = weights.offsets[v]; k < weights.offsets[v + 1]; ++k) {
      const hue = (weights.joints[k] * 0.61803399) % 1,
        w = weights.values[k];
      r += w * wave(hue);
      g += w * wave(hue + 1 / 3);
      b += w * wave(hue + 2 / 3);
    }
    colors.set([r, g, b], 3 * v);
  }
}

const wave = (x: number) => 0.1 + 0.62 * (0.5 + 0.5 * Math.cos(2 * Math.PI * x)) ** 1.5;

/** A painted map: 1 is the value of the slider, 0 nothing, 2 twice the value. */
export function paintMap(values: Float32Array | undefined, count: number, colors: Float32Array): void {
  for (let v = 0; v < count; ++v) weightRamp((values?.[v] ?? 1) / 2, colors, 3 * v);
}
