import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { draco, meshopt } from "@gltf-transform/functions";
// @ts-expect-error: has no types
import draco3d from "draco3dgltf";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";
import { describe, expect, it } from "vitest";
import { createPelt, PeltError } from "../dist/index.js";
import { expectSame, hasShared, read, refusal, sample, shared, work } from "./support.js";

const pelt = await createPelt();

const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => join(folder, name));

describe("bad input", () => {
  const biped = sample("biped", "--resolution=1000"),
    bytes = read(biped);

  it("is refused with one sentence that says what to do", () => {
    const half = bytes.subarray(0, bytes.length / 2);
    for (const bad of [new Uint8Array(0), new Uint8Array(100), bytes.subarray(0, 50), half]) {
      const refused = (() => {
        try {
          pelt.loadCharacter(bad, { name: "bad.glb" });
        } catch (error) {
          return error;
        }
      })() as PeltError;
      expect(refused).toBeInstanceOf(PeltError);
      expect(refused.code).toBe("bad_input");
      expect(refused.message).toMatch(/^bad\.glb: \S.*[^\n]$/);
    }
  });

  it("damaged at any place is refused or mended, and the module works afterwards", () => {
    const whole = read(sample("branch", "--resolution=500")),
      reference = pelt.loadCharacter(whole).positions();
    for (let seed = 1; seed <= 300; ++seed) {
      const damaged = whole.slice();
      for (let k = 0, at = seed * 2654435761; k < 4; ++k, at = (at * 48271) >>> 0)
        damaged[at % (seed % 2 ? 4000 : damaged.length)] = at >>> 13;
      try {
        const hero = pelt.loadCharacter(damaged);
        hero.info();
        hero.dispose();
      } catch (error) {
        expect(error).toBeInstanceOf(PeltError);
      }
    }
    const hero = pelt.loadCharacter(whole);
    expect(hero.positions()).toEqual(reference);
    hero.dispose();
  });

  it("is refused as the program refuses it", async () => {
    const hero = pelt.loadCharacter(bytes);
    const cases: [() => unknown, string[]][] = [
      [() => hero.mush({ bind: "soft" }), ["mush", biped, "--bind", "soft", "-o", "/tmp/no.glb"]],
      [() => hero.mush({ kappa: -1 }), ["mush", biped, "--kappa", "-1", "-o", "/tmp/no.glb"]],
      [() => hero.mush({ kappaMap: "_PAINT" }), ["mush", biped, "--kappa-map", "_PAINT", "-o", "/tmp/no.glb"]],
      [() => hero.bake({ influences: 0.5 }), ["bake", biped, "--influences", "0.5", "-o", "/tmp/no.glb"]],
      [() => hero.bake({ clip: "swim" }), ["bake", biped, "--clip", "swim", "-o", "/tmp/no.glb"]],
      [() => hero.bind({ method: "magic" }), ["bind", biped, "--method", "magic", "-o", "/tmp/no.glb"]],
    ];
    for (const [call, words] of cases) {
      const { status, sentence } = refusal(...words);
      const refused = (await Promise.resolve()
        .then(call)
        .catch((error) => error)) as PeltError;
      expect(refused).toBeInstanceOf(PeltError);
      const named = sentence
        .replace(`${biped}: `, "")
        .replace(/; see pelt [a-z]+ --help$/, "") // where only the program has help
        .replace(/--[a-z-]+/g, (flag) => flag.slice(2).replaceAll("-", "_"));
      expect(refused.message).toBe(named);
      expect(refused.code).toBe({ 1: "system", 2: "bad_usage", 3: "bad_input", 4: "gate" }[status]);
    }
    hero.dispose();
  });

  it.skipIf(!hasShared)("of the validator's collection gets the program's sentence", () => {
    for (const file of filesBelow(join(shared, "malformed/gltf-validator"), /\.glb$/)) {
      const { status, sentence } = refusal("info", file);
      let refused = "";
      try {
        const hero = pelt.loadCharacter(read(file), { name: file });
        hero.info();
        hero.dispose();
      } catch (error) {
        expect(error, file).toBeInstanceOf(PeltError);
        refused = (error as PeltError).message;
      }
      expect(refused.replace(`${file}: `, ""), file).toBe(status === 0 ? "" : sentence.replace(`${file}: `, ""));
    }
  });

  it.skipIf(!hasShared)("as .gltf is refused or read, never more", () => {
    for (const file of filesBelow(join(shared, "malformed/gltf-validator"), /\.gltf$/))
      try {
        const hero = pelt.loadCharacter(read(file));
        hero.info();
        hero.dispose();
      } catch (error) {
        expect(error, file).toBeInstanceOf(PeltError);
      }
  });
});

describe("real characters", () => {
  const files = hasShared ? filesBelow(join(shared, "rigged"), /\.glb$/) : [];
  for (const file of files)
    it(`${file.slice(shared.length + 8)} deforms as in the program`, ({ skip }) => {
      const hero = pelt.loadCharacter(read(file));
      try {
        if (hero.joints.length === 0) skip("no skeleton");
        if (hero.info().morphs?.length > 0) skip("morph targets are the caller's");
        // In RiggedSimple, 160 vertices with edges as long as the smoothing is wide, rounding decides what the default
        // drops: there everything is kept.
        const all = { influences: 0 },
          mush = hero.vertexCount < 200 ? all : {};
        for (const [method, options] of [
          ["lbs", {}],
          ["dqs", {}],
          ["ddm", mush],
        ] as const) {
          if (hero.clips.length > 0) expectSame(hero, file, method, 0, 3, options);
          expectSame(hero, file, method, "@range", 50, options);
        }
      } finally {
        hero.dispose();
      }
    });

  it.skipIf(!hasShared).each([
    ["meshopt", "meshoptimizer", "rigged/khronos/CesiumMan/glTF-Binary/CesiumMan.glb"],
    ["draco", "Draco", "rigged/khronos/Fox/glTF-Binary/Fox.glb"],
  ])("compressed by %s it is refused, and read once glTF-Transform has unpacked it", async (kind, name, path) => {
    const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
      "meshopt.decoder": MeshoptDecoder,
      "meshopt.encoder": MeshoptEncoder,
      "draco3d.decoder": await draco3d.createDecoderModule(),
      "draco3d.encoder": await draco3d.createEncoderModule(),
    });
    const document = await io.read(join(shared, path));
    await document.transform(kind === "draco" ? draco() : meshopt({ encoder: MeshoptEncoder }));
    const packed = await io.writeBinary(document);
    expect(() => pelt.loadCharacter(packed)).toThrow(new RegExp(`compressed by ${name}.*decompress it first`));
    const opened = await io.readBinary(packed);
    for (const extension of opened.getRoot().listExtensionsUsed())
      if (/meshopt_compression|draco_mesh_compression/.test(extension.extensionName)) extension.dispose();
    const unpacked = await io.writeBinary(opened),
      file = join(work, `${kind}.glb`);
    writeFileSync(file, unpacked);
    const hero = pelt.loadCharacter(unpacked);
    expectSame(hero, file, "lbs", 0, 3);
    hero.dispose();
  });
});

describe("memory", () => {
  it("does not grow over 1000 loads and disposes", async () => {
    const fresh = await createPelt(),
      bytes = read(sample("bar", "--resolution=200"));
    const { module } = (fresh as any).instance;
    /** Where free memory begins that a megabyte fits into. */
    const heap = () => {
      const at = module._malloc(1 << 20) as number;
      module._free(at);
      return at;
    };
    const once = () => {
      const hero = fresh.loadCharacter(bytes),
        deformer = hero.deformer("lbs");
      deformer.dispose();
      hero.dispose();
      expect(() => fresh.loadCharacter(bytes.subarray(0, 200))).toThrow(PeltError);
    };
    for (let i = 0; i < 100; ++i) once();
    const before = heap();
    for (let i = 0; i < 1000; ++i) once();
    expect(heap()).toBe(before);
  });
});

it("pelt.wasm is at most 3 MB", () => {
  expect(readFileSync(new URL("../dist/pelt.wasm", import.meta.url)).length).toBeLessThanOrEqual(3e6);
});
