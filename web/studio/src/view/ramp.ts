/** The color scales: errors from clay over amber to dark red, weights from clay to the accent. */
type Rgb = [number, number, number];

const errorStops: Rgb[] = [
  [0.72, 0.71, 0.69],
  [0.98, 0.85, 0.45],
  [0.95, 0.5, 0.2],
  [0.76, 0.16, 0.18],
  [0.32, 0.05, 0.2],
];
const weightStops: Rgb[] = [
  [0.6, 0.61, 0.64],
  [0.33, 0.52, 0.78],
  [0.36, 0.72, 0.6],
  [0.96, 0.84, 0.4],
  [0.93, 0.4, 0.2],
];

export type Ramp = (value: number, out: Float32Array, at: number) => void;

/** sRGB steps in a table of linear colors. */
function rampOf(stops: Rgb[]): Ramp {
  const size = 256,
    table = new Float32Array(3 * size);
  for (let i = 0; i < size; ++i) {
    const at = (i / (size - 1)) * (stops.length - 1),
      k = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; ++c) table[3 * i + c] = (stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c])) ** 2.2;
  }
  return (value, out, at) => {
    const i = 3 * Math.max(0, Math.min(size - 1, Math.round(value * (size - 1))));
    out[at] = table[i];
    out[at + 1] = table[i + 1];
    out[at + 2] = table[i + 2];
  };
}

export const errorRamp = rampOf(errorStops);
export const weightRamp = rampOf(weightStops);

export const gradientOf = (which: "error" | "weight") =>
  `linear-gradient(to right, ${(which === "error" ? errorStops : weightStops)
    .map((rgb) => `rgb(${rgb.map((c) => Math.round(255 * c)).join(" ")})`)
    .join(", ")})`;
