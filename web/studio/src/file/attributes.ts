import { Appender, isGlb, readGlb } from "./glb.js";
import { type Primitive, primitivesOf } from "./primitives.js";
import { type MapName, mapNames, type Maps } from "../state/settings.js";

/** The vertex attribute that keeps a painted map: what `pelt mush --lambda-map _LAMBDA` reads. */
export const attributeOf = (map: MapName) => `_${map.toUpperCase()}`;

/** The file with painted maps as vertex attributes. Nothing else of it changes. */
export function withMaps(bytes: Uint8Array, maps: Maps): Uint8Array {
  const painted = mapNames.filter((name) => maps[name]);
  if (painted.length === 0) return bytes;
  const glb = readGlb(bytes),
    appender = new Appender(glb);
  glb.json = structuredClone(glb.json);
  for (const name of painted) addMap(glb.json, appender, attributeOf(name), maps[name]!);
  return appender.finish();
}

/** The maps that a file has, with a value for each of `vertices`. */
export function mapsOf(bytes: Uint8Array, vertices: number): Maps {
  if (!isGlb(bytes)) return {};
  const { json, bin } = readGlb(bytes),
    maps: Maps = {};
  for (const name of mapNames) {
    const parts = primitivesOf(json).map((one) => valuesOf(json, bin, one, attributeOf(name)));
    const map = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    if (map.length !== vertices || parts.every((part) => part.every((value) => value === 1))) continue;
    parts.reduce((first, part) => (map.set(part, first), first + part.length), 0);
    maps[name] = map;
  }
  return maps;
}

/** A part's values as the studio writes them: floats, closely packed. 1 for a part without any. */
function valuesOf(json: any, bin: Uint8Array, { primitive, vertices }: Primitive, attribute: string): Float32Array {
  const accessor = json.accessors?.[primitive.attributes?.[attribute]],
    view = json.bufferViews?.[accessor?.bufferView],
    values = new Float32Array(vertices).fill(1);
  const begin = (view?.byteOffset ?? 0) + (accessor?.byteOffset ?? 0);
  const plain = accessor?.componentType === 5126 && accessor.type === "SCALAR" && accessor.count === vertices;
  if (!plain || !view || view.byteStride || begin + 4 * vertices > bin.length) return values;
  return new Float32Array(bin.slice(begin, begin + 4 * vertices).buffer).map((value) =>
    Math.min(2, Math.max(0, Number.isFinite(value) ? value : 1)),
  );
}

function addMap(json: any, appender: Appender, attribute: string, values: Float32Array): void {
  let first = 0;
  for (const { primitive, vertices } of primitivesOf(json)) {
    const part = values.slice(first, first + vertices);
    first += vertices;
    json.accessors.push({
      bufferView: appender.add(new Uint8Array(part.buffer)),
      componentType: 5126,
      count: vertices,
      type: "SCALAR",
    });
    primitive.attributes[attribute] = json.accessors.length - 1;
  }
}
