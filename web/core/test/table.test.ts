// Verbs come from the table: none is missing, and what they make is what the program makes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Character, createPelt, Pelt } from "../dist/index.js";
import { verbTypes, writtenTypes } from "../../tools/verb_types.mjs";
import { diagonal, distance, expectSame, pelt as program, read, readNpy, sample, work } from "./support.js";

const pelt = await createPelt();
const arm = sample("arm", "--skin=smooth", "--resolution=600");
const limb = pelt.loadCharacter(read(arm));
const out = (name: string) => join(work, `table_${name}`);
const opened = (bytes: Uint8Array) => pelt.loadCharacter(bytes);

describe("the table", () => {
  const everywhere = JSON.parse(program("verbs", "--json")).verbs.filter(
    ({ where, browser }: any) => where === "everywhere" && browser, // pelt.wasm has no others
  );

  it("is that of the program", () => {
    expect(pelt.verbs().verbs).toEqual(everywhere);
    expect(everywhere.length).toBeGreaterThan(15);
  });

  it.each(everywhere.map(({ name }: any) => name))("has %s as a method", (name) => {
    const methods = { ...Object.getOwnPropertyDescriptors(Character.prototype) } as Record<string, PropertyDescriptor>;
    expect(methods[name] ?? Object.getOwnPropertyDescriptor(Pelt.prototype, name)).toMatchObject({
      value: expect.any(Function),
    });
  });

  it("has types that are up to date", async () => {
    expect(writtenTypes()).toBe(await verbTypes()); // npm run types
  });
});

describe("verbs that 0.2 did not have", () => {
  it("deform", async () => {
    const { frames, normals, report } = await limb.deform({ method: "dqs", frames: "::3", normals: true });
    program("deform", arm, "--method=dqs", "--frames=::3", "-o", out("deform.npy"), "--normals", out("normals.npy"));
    const native = readNpy(out("deform.npy")).data;
    expect(frames.length).toBe(native.length);
    expect(distance(native, frames) / diagonal(limb.positions())).toBeLessThan(2e-6);
    expect(distance(readNpy(out("normals.npy")).data, normals!)).toBeLessThan(1e-3);
    expect(report.verb).toBe("deform");
  });

  it("lod gives a list, the finest level first", async () => {
    const { levels } = await limb.lod({ ratios: [0.5, 0.25] });
    const counts = levels.map((bytes) => opened(bytes).vertexCount);
    expect(counts.length).toBe(2);
    expect(counts[0]).toBeLessThan(limb.vertexCount);
    expect(counts[1]).toBeLessThan(counts[0]);
  });

  it("transfer takes another character, or its bytes", async () => {
    const bare = sample("arm", "--resolution=1500");
    program("transfer", arm, bare, "-o", out("transfer.glb"));
    for (const to of [opened(read(bare)), read(bare)])
      expectSame(opened((await limb.transfer(to)).bytes), out("transfer.glb"), "lbs", 0, 5);
  });

  it("pack writes the rig that the program writes", async () => {
    const { bytes } = await limb.pack({ method: "lbs" });
    program("pack", arm, "--method=lbs", "-o", out("arm.peltrig"));
    expect(bytes.length).toBe(read(out("arm.peltrig")).length);
  });

  it("bake takes frames in place of a method, and limits as an object", async () => {
    const { frames } = await limb.deform({ method: "dqs" });
    const { report } = await limb.bake({ from: frames, helpers: 1 });
    expect(report.helpers.length ?? report.helpers).toBeLessThanOrEqual(1);
    const limits = { default: { bend: 20, twist: 10 } };
    const bent = await limb.deform({ clip: "@range", limits });
    writeFileSync(out("limits.json"), JSON.stringify(limits));
    program("deform", arm, "--clip=@range", "--limits", out("limits.json"), "-o", out("range.npy"));
    expect(distance(readNpy(out("range.npy")).data, bent.frames) / diagonal(limb.positions())).toBeLessThan(2e-6);
  });

  it("run takes any verb by its name, in a worker too", async () => {
    for (const worker of [false, true]) {
      const own = await createPelt({ worker }),
        hero = own.loadCharacter(read(arm));
      const { report } = await own.run("compare", { a: hero, b: hero }, { frames: "::5" });
      expect(report.max).toBe(0);
      await expect(own.run("mash", { character: hero })).rejects.toThrow("did you mean 'mush'?");
      own.dispose();
    }
  });
});

describe("a poser", () => {
  it("says where the vertices are: those of its matrices", () => {
    const poser = limb.poser(),
      deformer = limb.deformer("lbs"),
      joint = limb.joints.at(-1)!.name,
      posed = new Float32Array(3 * limb.vertexCount),
      seen = new Float32Array(3 * limb.vertexCount);
    poser.setHandles([{ joint, constraint: "position", offset: [0.1, 0.1, 0] }]);
    poser.step(20);
    expect(poser.positions(seen)).toBe(seen);
    deformer.evaluate(poser.matrices(), posed);
    expect(distance(posed, seen) / diagonal(limb.positions())).toBeLessThan(2e-6);
    expect(distance(limb.positions(), seen)).toBeGreaterThan(0.01);
    expect(() => poser.positions(new Float32Array(3))).toThrow("positions has 3 numbers");
    poser.dispose();
    deformer.dispose();
  });
});
