import { describe, expect, it } from "vitest";
import { createPelt } from "../dist/index.js";
import { diagonal, distance, expectSame, json, made, pelt as program, read, readNpy, sample } from "./support.js";

const pelt = await createPelt();
const biped = sample("biped", "--resolution=1500");
const hero = pelt.loadCharacter(read(biped), { name: biped });

describe("a character", () => {
  it("is described as pelt info describes it", () => {
    const own = hero.info(),
      native = json("info", biped);
    for (const report of [own, native]) {
      delete report.stages;
      delete report.file;
    }
    expect(own).toEqual(native);
  });

  it("lists joints and clips in the order of info", () => {
    const info = hero.info();
    expect(hero.joints.map((joint) => joint.name)).toEqual(info.joints.map((joint: any) => joint.name));
    expect(hero.clips.map((clip) => clip.name)).toEqual(info.clips.map((clip: any) => clip.name));
    expect(hero.joints.every((joint, j) => joint.parent < j)).toBe(true);
  });

  it("has weights that sum up to one on its own joints", () => {
    const { offsets, joints, values } = hero.weights();
    expect(offsets.length).toBe(hero.vertexCount + 1);
    expect(values.length).toBe(offsets[hero.vertexCount]);
    expect(joints.every((joint) => joint < hero.joints.length)).toBe(true);
    for (let v = 0; v < hero.vertexCount; ++v)
      expect(values.subarray(offsets[v], offsets[v + 1]).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
  });

  it("gives copies of its own", () => {
    const positions = hero.positions();
    positions.fill(7);
    hero.skinMatrices(0, 0).fill(7);
    expect(hero.positions()[0]).not.toBe(7);
    expect(hero.triangles().length).toBe(3 * hero.triangleCount);
    expect(Math.max(...hero.triangles())).toBe(hero.vertexCount - 1);
  });

  it("takes a clip by name, by index and as the range of motion", () => {
    expect(hero.skinMatrices("walk", 0.5)).toEqual(hero.skinMatrices(0, 0.5));
    expect(hero.skinMatrices("@range", 1.3)).not.toEqual(hero.skinMatrices("@range", 0));
    expect(() => hero.skinMatrices("swim", 0)).toThrow(/swim/);
  });

  it("comes back from its bytes", () => {
    const again = pelt.loadCharacter(hero.bytes());
    expect(again.positions()).toEqual(hero.positions());
    expect(again.clips).toEqual(hero.clips);
    again.dispose();
  });

  it("is refused after it was disposed", () => {
    const gone = pelt.loadCharacter(read(biped)),
      deformer = gone.deformer("lbs");
    gone.dispose();
    gone.dispose();
    expect(() => gone.info()).toThrow("this character is disposed");
    expect(() => deformer.evaluate(new Float32Array(16), new Float32Array(3))).toThrow();
  });

  it("is the same in several instances, which do not disturb each other", async () => {
    const other = await createPelt(),
      twin = other.loadCharacter(read(biped));
    expect(() => other.loadCharacter(new Uint8Array(8))).toThrow();
    expect(twin.positions()).toEqual(hero.positions());
    twin.dispose();
  });
});

describe("what deformers give is what pelt deform gives", () => {
  for (const method of ["lbs", "dqs", "cor", "dm", "ddm", "ddm-v1", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "eddm"])
    it(`by ${method}`, () => expectSame(hero, biped, method, "walk", 11));

  it("by ddm with options, one set after the other on one character", () => {
    const file = sample("branch", "--resolution=500"),
      other = pelt.loadCharacter(read(file));
    for (const options of [
      { kappa: 2 },
      { alpha: 0.9 },
      { kappa: 2, alpha: 0.1 },
      { lambda: 3 },
      { bind: "keep" },
      { kappa: 0, alpha: 0 },
      {},
    ])
      expectSame(other, file, "ddm", "range_of_motion", 40, options);
    other.dispose();
  });

  for (const name of ["arm", "bar3", "branch"])
    it(`on the sample ${name}`, () => {
      const file = sample(name, "--resolution=500"),
        other = pelt.loadCharacter(read(file));
      for (const method of ["lbs", "ddm"]) expectSame(other, file, method, 0, 7);
      other.dispose();
    });

  it("when it was prepared in another instance", async () => {
    const other = await createPelt(),
      twin = other.loadCharacter(read(biped));
    const pose = hero.skinMatrices("walk", 0.4);
    const [here, there] = [new Float32Array(3 * hero.vertexCount), new Float32Array(3 * hero.vertexCount)];
    for (const method of ["lbs", "dqs", "cor", "ddm", "ddm-v2", "ddm-v5", "eddm"]) {
      const prepared = twin.deformer(method),
        bytes = prepared.bytes(),
        carried = hero.deformerOf(bytes);
      prepared.evaluate(pose, there);
      carried.evaluate(pose, here);
      expect(here, method).toEqual(there);
      expect(() => hero.deformerOf(bytes.subarray(0, bytes.length - 8))).toThrow();
      carried.dispose();
    }
    expect(() => twin.deformer("dm").bytes()).toThrow(/no rig/);
    twin.dispose();
  });

  it("at a moment of a clip, morph targets too", () => {
    const frames = made("biped_frames.npy", (out) =>
      program("deform", biped, "--method=ddm", "--frames=::6", "-o", out),
    );
    const rest = made("biped_rest.obj", (out) => program("deform", biped, "--bind-pose", "-o", out));
    const corrected = made("corrected.glb", (out) =>
      program("decompose", frames, "--rest", rest, "--bones=6", "--eigenskin=3", "-o", out),
    );
    const shapes = made("shapes.glb", (out) => program("deform", biped, "--frames=::12", "-o", out));
    for (const [file, joints] of [
      [corrected, 6],
      [shapes, 0],
    ] as const) {
      const moving = pelt.loadCharacter(read(file)),
        deformer = moving.deformer("lbs");
      expect(moving.joints.length).toBe(joints);
      const times = moving.clipTimes(0),
        at = new Float32Array(3 * moving.vertexCount),
        plain = at.slice();
      const native = made(`${joints}.npy`, (out) => program("deform", file, "-o", out)),
        all = readNpy(native).data;
      for (const frame of [0, 2, times.length - 1]) {
        deformer.evaluateAt(0, times[frame], at);
        const expected = all.subarray(at.length * frame, at.length * (frame + 1));
        expect(distance(expected, at) / diagonal(moving.positions())).toBeLessThan(2e-6);
      }
      deformer.evaluate(moving.skinMatrices(0, times.at(-1)!), plain);
      expect(distance(plain, at) / diagonal(plain)).toBeGreaterThan(1e-4);
      deformer.setRest(moving.morphedPositions(0, times.at(-1)!));
      deformer.evaluate(moving.skinMatrices(0, times.at(-1)!), plain);
      expect(distance(plain, at) / diagonal(plain)).toBeLessThan(2e-6);
      moving.dispose();
    }
  });

  it("in the caller's arrays, whose lengths are checked", () => {
    const deformer = hero.deformer("lbs"),
      matrices = hero.skinMatrices(0, 0);
    const positions = new Float32Array(3 * hero.vertexCount);
    expect(() => deformer.evaluate(matrices, new Float32Array(3))).toThrow("positions has 3 numbers");
    expect(() => deformer.evaluate(matrices.subarray(16), positions)).toThrow("matrices has");
    matrices[5] = Number.NaN;
    expect(() => deformer.evaluate(matrices, positions)).toThrow(/not finite/);
    deformer.dispose();
  });
});
