// Compare, tune, pose, make and keep: through the controls a person uses, checked against the native program.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apart, bar, biped, deform, made, pelt, readNpy, Session, work } from "./support.js";

const { validateBytes } = createRequire(import.meta.url)("gltf-validator");

let session: Session;
beforeAll(async () => {
  session = await Session.open(biped());
});
afterAll(async () => {
  await session?.close();
});

const npy = (name: string, ...options: string[]) => {
  const out = join(work, name);
  pelt("deform", biped(), "-o", out, "--clip", "walk", ...options);
  return out;
};

async function expectValid(bytes: Uint8Array): Promise<void> {
  const report: any = await validateBytes(bytes);
  expect(report.issues.messages.filter((message: any) => message.severity === 0)).toEqual([]);
}

describe("compare", () => {
  test("values of the plot and worst moments are those of the program", async () => {
    await session.tab("Compare");
    await session.page.getByLabel("Method of view 2", { exact: true }).selectOption("dqs");
    await session.page.waitForFunction("studio.curves() !== null && studio.state().methods[1] === 'dqs'");
    const curves: any = await session.page.evaluate("studio.curves()");
    const report = JSON.parse(pelt("compare", npy("ddm.npy", "--method", "ddm"), npy("dqs.npy", "--method", "dqs"), "--json"));
    expect(curves.times.length).toBe(report.frames.length);
    report.frames.forEach((frame: any, i: number) => {
      expect(curves.curves[0].rms[i]).toBeCloseTo(frame.rms, 6);
      expect(curves.curves[0].max[i]).toBeCloseTo(frame.max, 6);
    });
    await session.page.locator(".moments button").first().click();
    const shown = (await session.state()).time, frame = curves.times.findIndex((time: number) => Math.abs(time - shown) < 1e-6);
    expect(report.frames[frame].max).toBeCloseTo(Math.max(...report.frames.map((one: any) => one.max)), 6);
  });

  test("a click on the plot goes there", async () => {
    const box = (await session.page.locator(".plot .u-over").boundingBox())!;
    await session.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const { time, range, playing } = await session.state();
    expect(time).toBeCloseTo((range[0] + range[1]) / 2, 1);
    expect(playing).toBe(false);
  });

  test("four views show four methods", async () => {
    await session.page.getByRole("button", { name: "Add a view" }).click();
    await session.page.getByRole("button", { name: "Add a view" }).click();
    await session.set({ time: 0.5 });
    const { methods } = await session.state();
    expect(methods.length).toBe(4);
    for (const [view, method] of methods.entries())
      expect(apart(deform(biped(), "--method", method, "--clip", "walk", "--frames", "15:16"), await session.positions(view)))
        .toBeLessThan(4e-6);
  });

  test("divider, outlines and colors of errors change the picture", async () => {
    await session.set({ methods: ["ddm", "lbs"] });
    const pictures = [await session.bytes("studio.picture()")];
    await session.page.getByText("Error as colors").click();
    pictures.push(await session.bytes("studio.picture()"));
    for (const layout of ["Divider", "Outlines"]) {
      await session.page.getByText(layout, { exact: true }).click();
      pictures.push(await session.bytes("studio.picture()"));
    }
    expect(new Set(pictures.map((bytes) => Buffer.from(bytes).toString("base64"))).size).toBe(4);
    await session.page.getByText(/% of the outline differs/).waitFor();
    await session.set({ layout: "divider" });
    await session.page.getByRole("slider", { name: "Divider" }).press("ArrowRight");
    expect((await session.state()).divider).toBeCloseTo(0.52);
    await session.set({ layout: "views", heat: false, methods: ["ddm"] });
  });
});

describe("tune", () => {
  test("sliders and choices give what the program gives with the same options", async () => {
    await session.tab("Tune");
    const { page } = session;
    await page.getByLabel("κ translations, as a number").fill("40");
    await page.keyboard.press("Enter");
    await page.getByLabel("α follow bones, as a number").fill("0.8");
    await page.keyboard.press("Enter");
    await page.getByLabel("Bind").selectOption("keep");
    await session.set({ clip: "walk", time: 0.5 });
    expect(await session.state()).toMatchObject({ kappa: 40, alpha: 0.8, bind: "keep" });
    const options = ["--method", "ddm", "--kappa", "40", "--alpha", "0.8", "--bind", "keep", "--clip", "walk", "--frames", "15:16"];
    expect(apart(deform(biped(), ...options), await session.positions())).toBeLessThan(4e-6);
  });

  test("alpha of a joint, and undo back to the beginning", async () => {
    const { page } = session;
    await page.getByLabel("Joint with an alpha of its own").selectOption("upper_arm_L");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await session.set({});
    const own = ["--kappa", "40", "--alpha", "0.8", "--bind", "keep", "--joint-alpha", "upper_arm_L=0.2"];
    const tuned = deform(biped(), "--method", "ddm", ...own, "--clip", "walk", "--frames", "15:16");
    expect(apart(tuned, await session.positions())).toBeLessThan(4e-6);
    for (let i = 0; i < 40 && (await session.state()).kappa !== null; ++i) await page.keyboard.press("Control+z");
    expect(await session.state()).toMatchObject({ kappa: null, alpha: null, bind: null, jointAlpha: {} });
  });

  test("a stroke of the brush becomes an attribute that pelt mush reads", async () => {
    const { page } = session;
    await session.set({ clip: null, time: 0, lambda: 5 });
    await page.getByText("λ", { exact: true }).click();
    await page.getByLabel("Brush", { exact: true }).selectOption("reduce");
    const box = (await page.locator(".stage > canvas").first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= 6; ++i) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 8 * i);
    await page.mouse.up();
    await session.set({});
    const painted = join(work, "painted.glb");
    writeFileSync(painted, await session.download("Download with maps"));
    await expectValid(new Uint8Array(readFileSync(painted)));
    await page.getByText("Off", { exact: true }).click();
    await session.set({ clip: "walk", time: 0.5 });
    const with_map = deform(painted, "--method", "ddm", "--lambda", "5", "--lambda-map", "_LAMBDA", "--clip", "walk", "--frames", "15:16");
    const without = deform(biped(), "--method", "ddm", "--lambda", "5", "--clip", "walk", "--frames", "15:16");
    expect(apart(with_map, await session.positions())).toBeLessThan(4e-6);
    expect(apart(with_map, without)).toBeGreaterThan(1e-5);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    expect(Object.keys((await session.state()).maps)).toEqual([]);
    await session.set({ lambda: null });
  });
});

describe("pose", () => {
  test("a pulled hand arrives, a pinned foot stays, and keys become a clip as pelt pose makes it", async () => {
    await session.tab("Pose");
    const { page } = session;
    await page.getByLabel("Joint to hold").selectOption("foot_L");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByLabel("Joint to hold").selectOption("hand_R");
    await page.getByRole("button", { name: "Pull", exact: true }).click();
    await page.waitForTimeout(300);
    const before = await session.positions();
    await page.keyboard.press("k");
    await session.set({ time: 1 });
    await page.getByLabel("hand_R, offset along y").fill("0.3");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(1500);
    await session.set({});
    const after = await session.positions();
    const moved = (v: number) => Math.hypot(...[0, 1, 2].map((c) => after[3 * v + c] - before[3 * v + c]));
    const rest = deform(biped(), "--bind-pose");
    const nearest = (x: number, y: number, z: number) => {
      let best = 0, distance = Infinity;
      for (let v = 0; v < rest.length / 3; ++v) {
        const d = Math.hypot(rest[3 * v] - x, rest[3 * v + 1] - y, rest[3 * v + 2] - z);
        if (d < distance) [best, distance] = [v, d];
      }
      return best;
    };
    const joints = JSON.parse(pelt("info", biped(), "--json")).joints;
    const place = (name: string) => joints.find((joint: any) => joint.name === name).position as [number, number, number];
    expect(moved(nearest(...place("hand_R")))).toBeGreaterThan(0.2);
    expect(moved(nearest(...place("foot_L")))).toBeLessThan(0.02);
    await page.locator("body").press("k");
    expect((await session.state()).keys.length).toBe(2);
    const { handles, keys } = await session.state();
    await page.getByRole("button", { name: "Make a clip" }).click();
    await page.getByRole("button", { name: "Download", exact: true }).waitFor();
    const posed = await session.download("Download");
    await expectValid(posed);
    const file = join(work, "handles.json"), native = join(work, "posed_native.glb"), own = join(work, "posed.glb");
    writeFileSync(file, JSON.stringify({ handles: [
      { joint: "foot_L", constraint: "hold" },
      { joint: "hand_R", constraint: "position", offsets: keys.map((key: any) => [key.time, key.offsets[1]]) }] }));
    expect(handles[1].joint).toBe("hand_R");
    writeFileSync(own, posed);
    pelt("pose", biped(), "--handles", file, "-o", native);
    const clip = JSON.parse(pelt("info", native, "--json")).clips.at(-1).name;
    expect(apart(deform(native, "--clip", clip), deform(own, "--clip", clip))).toBeLessThan(1e-4);
  });

  test("a joint is pulled with the pointer", async () => {
    await session.tab("Pose");
    await session.set({ handles: [], keys: [] });
    const { page } = session, box = (await page.locator(".stage > canvas").first().boundingBox())!;
    const before = await session.positions();
    const at = await page.evaluate("studio.jointPlaces()") as { name: string; x: number; y: number }[];
    const hand = at.find(({ name }) => name === "hand_L")!;
    await page.mouse.move(box.x + hand.x, box.y + hand.y);
    await page.mouse.down();
    await page.mouse.move(box.x + hand.x + 30, box.y + hand.y - 60, { steps: 6 });
    await page.mouse.up();
    await page.waitForTimeout(600);
    await session.set({});
    expect((await session.state()).handles).toMatchObject([{ joint: "hand_L", pinned: false }]);
    expect(apart(before, await session.positions())).toBeGreaterThan(0.01);
  });
});

describe("make", () => {
  test("mush downloads what the program writes, and says the command", async () => {
    await session.set({ handles: [], kappa: 30 });
    await session.tab("Make");
    const { page } = session;
    expect(await page.locator(".command code").first().innerText()).toContain("pelt mush biped.glb --kappa 30 -o biped_mushed.glb");
    await page.getByRole("button", { name: "Mush", exact: true }).click();
    await page.locator("strong", { hasText: "biped_mushed.glb" }).waitFor();
    const bytes = await session.download("Download"), native = join(work, "mushed_native.glb"), own = join(work, "mushed_own.glb");
    await expectValid(bytes);
    writeFileSync(own, bytes);
    pelt("mush", biped(), "--kappa", "30", "-o", native);
    const options = ["--method", "ddm", "--clip", "walk", "--frames", "::6"];
    expect(apart(deform(native, ...options), deform(own, ...options))).toBeLessThan(4e-6);
    await session.set({ kappa: null });
  });

  test("a baked file is compared with what it was baked from", async () => {
    const { page } = session;
    await page.getByText("Bake", { exact: true }).first().click();
    await page.getByRole("button", { name: "Bake", exact: true }).click();
    await page.locator("strong", { hasText: "biped_baked.glb" }).waitFor();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await session.set({ clip: "walk", time: 0.5 });
    expect(await session.state()).toMatchObject({ activity: "compare", methods: ["ddm", "result"], heat: true });
    const native = join(work, "baked_native.glb");
    pelt("bake", biped(), "--clip", "walk", "-o", native);
    expect(apart(deform(native, "--clip", "walk", "--frames", "15:16"), await session.positions(1))).toBeLessThan(1e-4);
    await session.set({ methods: ["ddm"], heat: false });
  });

  test("a verb is stopped", async () => {
    await session.tab("Make");
    const stopped = await session.page.evaluate(`(async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 30);
      try { await studio.run("bake", { helpers: 20, signal: stop.signal }); return "done"; } catch (error) { return error.name; }
    })()`);
    expect(stopped).toBe("AbortError");
  });

  test("a dropped sequence is decomposed", async () => {
    const frames = made("bar_frames.npy", (out) => pelt("deform", bar(), "--frames", "::4", "-o", out));
    const rest = made("bar_rest.obj", (out) => pelt("deform", bar(), "--bind-pose", "-o", out));
    await session.drop(frames, rest);
    const { page } = session;
    await page.getByText("Decompose", { exact: true }).first().click();
    await page.getByLabel("Bones").fill("4");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Decompose", exact: true }).click();
    await page.locator("strong", { hasText: "bar_frames_bones.glb" }).waitFor();
    const bytes = await session.download("Download");
    await expectValid(bytes);
    const own = join(work, "bones.glb"), out = join(work, "bones.npy");
    writeFileSync(own, bytes);
    pelt("deform", own, "-o", out);
    expect(apart(readNpy(frames), readNpy(out))).toBeLessThan(0.02);
  });

  test("what cannot be made is said in a sentence", async () => {
    await session.load(biped(), "biped.glb");
    await expect(session.page.evaluate(`studio.run("mush", { alpha: 7 })`)).rejects.toThrow(/alpha/);
    expect((await session.state()).file).toBe("biped.glb");
  });
});

describe("keep", () => {
  test("a reload brings back file, settings, handles and keys", async () => {
    await session.set({ methods: ["dqs", "lbs"], clip: "walk", time: 0.4, kappa: 12, wireframe: true,
                        handles: [{ joint: "hand_L", pinned: false, offset: [0.1, 0, 0] }],
                        keys: [{ time: 0, offsets: [[0.1, 0, 0]] }] });
    await session.page.waitForTimeout(400);
    const before = await session.state();
    await session.page.reload();
    await session.page.waitForFunction("window.studio !== undefined");
    await session.shown();
    const after = await session.state();
    for (const key of ["file", "methods", "clip", "time", "kappa", "wireframe", "handles", "keys", "activity"])
      expect(after[key]).toEqual(before[key]);
  });

  test("two tabs do not disturb each other", async () => {
    const other = await session.newPage();
    await session.shown(other);
    expect(await other.evaluate("studio.state().methods")).toEqual(["ddm"]);
    await other.evaluate("studio.set({ methods: ['cor'], wireframe: false })");
    await other.waitForTimeout(400);
    await other.reload();
    await other.waitForFunction("window.studio !== undefined");
    await session.shown(other);
    expect(await other.evaluate("studio.state().methods")).toEqual(["cor"]);
    await session.page.reload();
    await session.page.waitForFunction("window.studio !== undefined");
    await session.shown();
    expect((await session.state()).methods).toEqual(["dqs", "lbs"]);
    await other.close();
  });

  test("a picture is saved by one key", async () => {
    const [event] = await Promise.all([session.page.waitForEvent("download"), session.page.locator("body").press("p")]);
    expect(event.suggestedFilename()).toBe("biped.png");
    expect(readFileSync((await event.path())!).subarray(1, 4).toString()).toBe("PNG");
  });

  test("the clip is saved as WebM", async () => {
    const [event] = await Promise.all([
      session.page.waitForEvent("download"), session.page.getByRole("button", { name: "Record the clip as WebM" }).click(),
    ]);
    const file = readFileSync((await event.path())!);
    expect(file.readUInt32BE(0)).toBe(0x1a45dfa3);
    expect(file.length).toBeGreaterThan(10_000);
  });

  test("the built folder works from the program's address alone, without a word in the console", () => {
    expect(existsSync(join(work, "biped.glb"))).toBe(true);
    expect(session.messages).toEqual([]);
  });
});

describe("everybody", () => {
  test.each(["Look", "Compare", "Tune", "Pose", "Make"])("axe finds nothing serious in %s, dark and light", async (name) => {
    const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await session.tab(name);
    await session.page.evaluate(source);
    for (const theme of ["dark", "light"]) {
      await session.set({ theme, playing: false });
      await session.page.waitForTimeout(100);
      const found: any = await session.page.evaluate("axe.run()");
      const serious = found.violations.filter((v: any) => ["serious", "critical"].includes(v.impact));
      expect(serious.map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.html).slice(0, 3).join(" ")}`)).toEqual([]);
    }
  });
});
