// window.studio as scripts use it, checked against the native program.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, openStudio, pelt, work } from "./support.js";

const session = openStudio();

const walk = (frame: number, ...options: string[]) =>
  deform(biped(), ...options, "--clip", "walk", "--frames", `${frame}:${frame + 1}`);

/** Runs statements in the page without waiting for anything; gives the vertices of a view. */
const atOnce = async (statements: string, view = 0) =>
  new Float32Array(
    (await session.bytes(`(() => { ${statements}; return new Uint8Array(studio.positions(${view}).buffer); })()`))
      .buffer,
  );

describe("studio", () => {
  test("an empty page has a state, and says what is missing", async () => {
    expect(await session.state()).toMatchObject({ file: null, playing: false });
    await expect(session.page.evaluate("studio.positions(0)")).rejects.toThrow(/open a character/);
    await expect(session.page.evaluate('studio.run("mush", {})')).rejects.toThrow(/open a character/);
  });

  test("load shows the character, and state has what the contract names", async () => {
    await session.load(biped(), "hero.glb");
    const state = await session.state();
    expect(state).toMatchObject({
      file: "hero.glb",
      methods: ["ddm"],
      lambda: null,
      kappa: null,
      alpha: null,
      iterations: null,
      clip: "walk",
      playing: true,
    });
    expect(state.time).toBeGreaterThanOrEqual(0);
  });

  test("set({ time }) pauses", async () => {
    await session.set({ playing: true });
    expect((await session.state()).playing).toBe(true);
    await session.set({ time: 0.2 });
    expect(await session.state()).toMatchObject({ playing: false, time: 0.2 });
  });

  test("positions are what is set, awaited", async () => {
    await session.set({ method: "lbs", clip: "walk", time: 0.2 });
    expect(apart(walk(6, "--method", "lbs"), await session.positions())).toBeLessThan(4e-6);
    await session.set({ clip: 0, time: 0.5, methods: ["ddm", "dqs"], kappa: 30 });
    expect(apart(walk(15, "--method", "ddm", "--kappa", "30"), await session.positions(0))).toBeLessThan(4e-6);
    expect(apart(walk(15, "--method", "dqs"), await session.positions(1))).toBeLessThan(4e-6);
  });

  test("positions are what is set, not awaited", async () => {
    const lbs = await atOnce(`studio.set({ method: "lbs", clip: "walk", time: 0.8, kappa: null })`);
    expect(apart(walk(24, "--method", "lbs"), lbs)).toBeLessThan(4e-6);
    const ddm = await atOnce(`studio.set({ method: "ddm", alpha: 0.7, time: 0.4 })`);
    expect(apart(walk(12, "--method", "ddm", "--alpha", "0.7"), ddm)).toBeLessThan(4e-6);
    const second = await atOnce(`studio.set({ methods: ["ddm", "cor"], time: 1 })`, 1);
    expect(apart(walk(30, "--method", "cor"), second)).toBeLessThan(4e-6);
    const rest = await atOnce(`studio.set({ clip: null })`);
    expect(apart(deform(biped(), "--method", "ddm", "--alpha", "0.7", "--bind-pose"), rest)).toBeLessThan(4e-6);
    await session.set({ methods: ["ddm"], alpha: null });
  });

  test("many changes at once end with the last", async () => {
    await session.page.evaluate(
      `for (let i = 0; i <= 30; ++i) studio.set({ clip: "walk", kappa: 5 + i, time: i / 30 })`,
    );
    await session.set({});
    expect(apart(walk(30, "--method", "ddm", "--kappa", "35"), await session.positions())).toBeLessThan(4e-6);
    await session.set({ kappa: null });
  });

  test("what cannot be set is refused in a sentence, and nothing changes", async () => {
    const before = await session.state();
    await expect(session.set({ color: 1 })).rejects.toThrow(/no setting color/);
    await expect(session.set({ clip: "swim" })).rejects.toThrow(/no clip swim; there are @range, walk/);
    expect(await session.state()).toEqual(before);
  });

  test("another clip starts where the time is not in it", async () => {
    await session.set({ clip: "range_of_motion", time: 5 });
    await session.set({ clip: "walk" });
    expect(await session.state()).toMatchObject({ clip: "walk", time: 0 });
  });

  test("run gives the file and the report of the verb", async () => {
    const made: any = await session.page.evaluate(`studio.run("mush", { influences: 3, kappa: 20 }).then(
      (made) => (window.made = made, { report: made.report, isBytes: made.bytes instanceof Uint8Array }))`);
    expect(made.isBytes).toBe(true);
    const own = join(work, "run_own.glb"),
      native = join(work, "run_native.glb");
    writeFileSync(own, await session.bytes("window.made.bytes"));
    const report = JSON.parse(pelt("mush", biped(), "--influences", "3", "--kappa", "20", "-o", native, "--json"));
    expect(made.report).toMatchObject({ verb: "mush", vertices: report.vertices, influences: report.influences });
    await expectValid(await session.bytes("window.made.bytes"));
    const at = ["--method", "ddm", "--clip", "walk", "--frames", "::9"];
    expect(apart(deform(native, ...at), deform(own, ...at))).toBeLessThan(4e-6);
  });

  test("picture is a PNG of the views, and is what is set", async () => {
    const [first, second] = (await session.page.evaluate(`(() => {
      studio.set({ method: "lbs", clip: "walk", time: 0 });
      const a = studio.picture();
      studio.set({ time: 0.5 });
      return [[...a], [...studio.picture()]];
    })()`)) as number[][];
    expect(first.slice(1, 4)).toEqual([0x50, 0x4e, 0x47]);
    expect(Buffer.from(first).equals(Buffer.from(second))).toBe(false);
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
