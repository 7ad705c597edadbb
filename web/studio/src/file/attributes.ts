import { Appender, readGlb } from "./glb.js";
import { primitivesOf } from "./primitives.js";
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
