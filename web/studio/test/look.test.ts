import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readGlb, writeGlb } from "../src/file/glb.js";
import { apart, bar, biped, deform, hasShared, made, openStudio, pelt, shared, work } from "./support.js";

const session = openStudio(() => [biped()]);

describe("look", () => {
  test("a file named on the command line plays at once", async () => {
    const state = await session.state();
    expect(state).toMatchObject({ file: "biped.glb", methods: ["ddm"], clip: "walk", playing: true, lambda: null });
    await session.page.waitForFunction(`studio.state().time !== ${state.time}`);
  });

  test.each(["lbs", "dqs", "cor", "dm", "ddm", "ddm-v5", "eddm"])(
    "%s shows what the program computes",
    async (method) => {
      await session.set({ methods: [method], clip: "walk", time: 0.5 });
      const native = deform(biped(), "--method", method, "--clip", "walk", "--frames", "15:16");
      expect(apart(native, await session.positions())).toBeLessThan(4e-6);
      expect((await session.state()).playing).toBe(false);
    },
  );

  test("a mushed file shows what it stores", async () => {
    const mushed = made("mushed.glb", (out) =>
      pelt("mush", biped(), "--influences", "3", "--variant", "v2", "-o", out),
    );
    await session.load(mushed, "mushed.glb");
    await session.set({ clip: "walk", time: 0.5 });
    const native = deform(mushed, "--method", "ddm", "--clip", "walk", "--frames", "15:16");
    expect(apart(native, await session.positions())).toBeLessThan(4e-6);
    await session.load(biped(), "biped.glb");
  });

  test("the test motion is that of the program", async () => {
    await session.set({ methods: ["lbs"], clip: "@range", time: 1 });
    expect(apart(deform(biped(), "--clip", "@range", "--frames", "30:31"), await session.positions())).toBeLessThan(
      4e-6,
    );
  });

  test("keys and controls change what is drawn", async () => {
    const { page } = session;
    await page.locator("body").press("w");
    await page.locator("body").press("s");
    expect(await session.state()).toMatchObject({ wireframe: true, skeleton: true });
    await page.getByText("Weights").click();
    await page.getByLabel("Search joints").fill("hand_L");
    await page.getByRole("option", { name: "hand_L" }).click();
    expect(await session.state()).toMatchObject({ shading: "weights", joint: "hand_L" });
    await page.getByLabel("Search joints").fill("");
    await page.getByLabel("Search joints").blur();
    await page.locator("body").press("3");
    expect((await session.state()).methods).toEqual(["dqs"]);
    await page.locator("body").press("Control+z");
    expect((await session.state()).methods).toEqual(["lbs"]);
    await page.locator("body").press("Control+y");
    expect((await session.state()).methods).toEqual(["dqs"]);
  });

  test("parts are hidden, and the picture changes", async () => {
    const before = await session.bytes("studio.picture()");
    await session.page.getByLabel("body").uncheck();
    const after = await session.bytes("studio.picture()");
    expect([...before.subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
    expect(Buffer.from(before).equals(Buffer.from(after))).toBe(false);
    await session.page.getByLabel("body").check();
  });

  test("the validator's report is shown", async () => {
    await session.page.getByRole("button", { name: "Khronos validator" }).click();
    await session.page.getByText("Valid glTF.").waitFor();
  });

  test("anything else than a character is refused in a sentence, and the page goes on", async () => {
    const { page } = session;
    const none = join(work, "none.glb"),
      text = join(work, "notes.txt"),
      half = join(work, "half.glb");
    writeFileSync(none, "not a file at all");
    writeFileSync(text, "hello");
    writeFileSync(half, (await import("node:fs")).readFileSync(biped()).subarray(0, 9000));
    for (const file of [none, text, half]) {
      await session.drop(file);
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").innerText()).toMatch(/\w+ .*\w/);
      await page.getByRole("button", { name: "Close the message" }).click();
      expect((await session.state()).file).toBe("biped.glb");
    }
  });

  test("a .gltf is opened with its files", async () => {
    const path = made("split.gltf", (out) => pelt("mush", biped(), "--influences", "2", "-o", out));
    const files = readdirSync(work)
      .filter((name) => name.startsWith("split"))
      .map((name) => join(work, name));
    await session.drop(...files);
    await session.page.waitForFunction("studio.state().file === 'split.gltf'");
    await session.set({ clip: "walk", time: 0.5 });
    const native = deform(path, "--method", "ddm", "--clip", "walk", "--frames", "15:16");
    expect(apart(native, await session.positions())).toBeLessThan(4e-6);
  });

  test("a second character is opened while a clip plays, without a word about the first", async () => {
    const { page } = session;
    await session.load(biped(), "biped.glb");
    await session.set({ clip: "walk", playing: true });
    for (const [file, name] of [
      [bar(), "bar.glb"],
      [biped(), "biped.glb"],
    ]) {
      await session.load(file, name);
      await session.set({ playing: true });
      expect(await page.locator(".message").isVisible()).toBe(false);
    }
    expect(await page.locator(".stat.error").count()).toBe(0);
  });

  test("a file without weights is shown at rest, and Bind is beside it", async () => {
    const glb = readGlb(new Uint8Array(readFileSync(biped())));
    for (const { primitives } of glb.json.meshes)
      for (const { attributes } of primitives) {
        delete attributes.JOINTS_0;
        delete attributes.WEIGHTS_0;
      }
    const file = join(work, "unbound.glb");
    writeFileSync(file, writeGlb(glb));
    await session.load(file, "unbound.glb");
    expect(apart(deform(biped(), "--bind-pose"), await session.positions())).toBeLessThan(1e-6);
    expect(await session.page.locator(".stat.error").count()).toBe(0);
    await session.page.getByRole("button", { name: "Bind…" }).click();
    expect(await session.page.locator("#verb-bind").isChecked()).toBe(true);
    await session.set({ activity: "look" });
    await session.load(biped(), "biped.glb");
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});

describe.skipIf(!hasShared)("real characters", () => {
  const find = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? find(path) : name.endsWith(".glb") ? [path] : [];
    });
  const files = hasShared ? find(join(shared, "rigged")) : [];

  for (const file of files) test(file.slice(shared.length + 1), () => plays(file));

  async function plays(file: string): Promise<void> {
    await session.load(file, "real.glb");
    const { clip, range } = await session.state();
    expect(clip).not.toBeNull();
    const frame = Math.min(6, Math.floor(30 * (range[1] - range[0])));
    for (const method of ["lbs", "ddm"]) {
      await session.set({ methods: [method], time: range[0] + frame / 30 });
      const native = deform(file, "--method", method, "--clip", clip, "--frames", `${frame}:${frame + 1}`);
      expect(apart(native, await session.positions())).toBeLessThan(4e-6);
    }
  }

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
