// Pictures of the page as numbers, and what the program's vertices would look like in them.
import type { Session } from "./support.js";

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Red, green, blue, opacity: bytes by rows from the top. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8Array;
}

/** What the canvas shows, without the labels over it. */
export async function pictureOf(session: Session): Promise<Picture> {
  const data = await session.bytes(`(async () => {
    const image = await createImageBitmap(new Blob([studio.picture()]));
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return new Uint8Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  })()`);
  const { width, height } = await stageOf(session);
  if (data.length !== 4 * width * height) throw new Error("the canvas has other pixels than the page");
  return { width, height, data };
}

/** The canvas in the page. */
export async function stageOf(session: Session): Promise<Area> {
  return (await session.page.locator(".stage > canvas").first().boundingBox())!;
}

/** The views of a layout of equal parts: columns, or two rows of two. */
export function panesOf(count: number, { width, height }: Area): Area[] {
  const columns = count === 4 ? 2 : count,
    rows = count / columns;
  return Array.from({ length: count }, (_, i) => ({
    x: ((i % columns) * width) / columns,
    y: (Math.floor(i / columns) * height) / rows,
    width: width / columns,
    height: height / rows,
  }));
}

export function cut({ width, data }: Picture, area: Area): Picture {
  const out = new Uint8Array(4 * area.width * area.height);
  for (let y = 0; y < area.height; ++y) {
    const from = 4 * ((area.y + y) * width + area.x);
    out.set(data.subarray(from, from + 4 * area.width), 4 * y * area.width);
  }
  return { width: area.width, height: area.height, data: out };
}

/** The share of pixels that differ by more than rounding. */
export function differing(a: Picture, b: Picture): number {
  if (a.data.length !== b.data.length) throw new Error("pictures of different sizes");
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > 12)) ++count;
  return (4 * count) / a.data.length;
}

type Vector = [number, number, number];
const minus = (a: number[], b: number[]) => a.map((x, i) => x - b[i]) as Vector;
const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Vector) => a.map((x) => x / Math.hypot(...a)) as Vector;
const cross = (a: number[], b: number[]): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The camera of the page: 32 degrees from top to bottom of a view, upright. */
export class Camera {
  private readonly right: Vector;
  private readonly up: Vector;
  private readonly back: Vector;
  private readonly scale: number;

  constructor(
    private readonly at: { position: number[]; target: number[] },
    private readonly area: Area,
  ) {
    this.back = unit(minus(at.position, at.target));
    this.right = unit(cross([0, 1, 0], this.back));
    this.up = cross(this.back, this.right);
    this.scale = area.height / (2 * Math.tan((16 * Math.PI) / 180));
  }

  /** Pixels of the canvas, and the distance from the camera. */
  project(point: ArrayLike<number>): Vector {
    const from = minus([point[0], point[1], point[2]], this.at.position),
      depth = -dot(from, this.back),
      { x, y, width, height } = this.area;
    return [
      x + width / 2 + (this.scale * dot(from, this.right)) / depth,
      y + height / 2 - (this.scale * dot(from, this.up)) / depth,
      depth,
    ];
  }

  /** The point that is seen at a pixel, in the plane through what the camera looks at. */
  placeAt(x: number, y: number): Vector {
    const { position, target } = this.at,
      depth = Math.hypot(...minus(position, target)),
      across = ((x - this.area.x - this.area.width / 2) * depth) / this.scale,
      above = ((this.area.y + this.area.height / 2 - y) * depth) / this.scale;
    return target.map((t, c) => t + across * this.right[c] + above * this.up[c]) as Vector;
  }
}

/** Which triangle is seen at each pixel of an area, and where in it: what a graphics processor draws. */
export interface Drawn {
  triangle: Int32Array;
  /** The weights of its three corners. */
  corners: Float32Array;
}

export function draw(positions: Float32Array, triangles: ArrayLike<number>, camera: Camera, area: Area): Drawn {
  const size = area.width * area.height,
    triangle = new Int32Array(size).fill(-1),
    corners = new Float32Array(3 * size),
    depth = new Float32Array(size).fill(Infinity);
  const points = Array.from({ length: positions.length / 3 }, (_, v) =>
    camera.project(positions.subarray(3 * v, 3 * v + 3)),
  );
  for (let t = 0; t < triangles.length / 3; ++t) {
    const [a, b, c] = [0, 1, 2].map((k) => points[triangles[3 * t + k]]);
    const whole = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (whole === 0) continue;
    const [left, right] = [Math.min(a[0], b[0], c[0]), Math.max(a[0], b[0], c[0])],
      [top, bottom] = [Math.min(a[1], b[1], c[1]), Math.max(a[1], b[1], c[1])];
    for (let y = Math.max(area.y, Math.floor(top)); y < Math.min(area.y + area.height, bottom); ++y)
      for (let x = Math.max(area.x, Math.floor(left)); x < Math.min(area.x + area.width, right); ++x) {
        const [px, py] = [x + 0.5, y + 0.5];
        const wa = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / whole,
          wb = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / whole,
          wc = 1 - wa - wb;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const z = wa * a[2] + wb * b[2] + wc * c[2],
          i = (y - area.y) * area.width + x - area.x;
        if (z >= depth[i]) continue;
        depth[i] = z;
        triangle[i] = t;
        corners.set([wa, wb, wc], 3 * i);
      }
  }
  return { triangle, corners };
}
