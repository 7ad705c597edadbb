// The empty page, the guided start, compressed files, keys and the order of Tab.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { draco, meshopt } from "@gltf-transform/functions";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";
import { describe, expect, test } from "vitest";
import { apart, biped, deform, expectAccessible, made, openStudio, work } from "./support.js";

const session = openStudio();

describe("empty", () => {
  test("the page says what to do, and nothing of a comparison is on it", async () => {
    const { page } = session;
    await page.getByRole("heading", { name: "Drop a character here" }).waitFor();
    for (const hidden of [".divider", ".outline-note", ".panel", ".message", ".plot", ".busy"])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
    for (const key of ["w", " ", "1", "f", "p"]) await page.locator("body").press(key);
    expect(session.messages).toEqual([]);
  });

  test("the browser neither shows nor remembers the token of the address", () => {
    expect(session.page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  });

  test.each(["dark", "light"])("axe finds nothing serious, %s", async (theme) => {
    await session.set({ theme });
    await expectAccessible(session.page);
  });

  test("the theme is that of the views too, at once", async () => {
    const brightness = async (theme: string): Promise<number> => {
      await session.page.getByRole("button", { name: "Dark or light" }).click();
      expect((await session.state()).theme).toBe(theme);
      return session.page.evaluate(`createImageBitmap(new Blob([studio.picture()])).then((image) => {
        const pen = new OffscreenCanvas(1, 1).getContext("2d");
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, 1, 1).data[1];
      })`);
    };
    await session.set({ theme: "light" });
    expect(await brightness("dark")).toBeLessThan(60);
    expect(await brightness("light")).toBeGreaterThan(200);
  });

  test("the built-in figure plays, with ten seconds of what there is to do", async () => {
    const { page } = session;
    // Timers of seconds end after as many tenths; every hint is kept.
    await page.evaluate(`(() => {
      const { setTimeout } = window;
      window.waits = [];
      window.setTimeout = (work, ms) => (ms > 1000 && waits.push(ms), setTimeout(work, ms > 1000 ? ms / 10 : ms));
      window.hints = new Set();
      window.guided = new Promise((ended) => {
        const look = () => {
          const guide = document.querySelector(".guide span:not(.dots)");
          if (guide) hints.add(guide.textContent);
          else if (hints.size > 0) ended();
        };
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
      });
    })()`);
    await page.getByRole("button", { name: "Use the built-in figure" }).click();
    await session.shown();
    expect(await session.state()).toMatchObject({ file: "biped.glb", playing: true });
    await page.evaluate("guided");
    expect(await page.evaluate("hints.size")).toBe(3);
    expect(await page.evaluate("Math.max(...waits)")).toBeCloseTo(10_200);
    expect(await page.locator(".pointed").count()).toBe(0);
  });
});

describe("keys", () => {
  test("each does what the list of keys says", async () => {
    const { page } = session,
      press = (key: string) => page.locator("body").press(key);
    await session.set({ clip: "walk", time: 0.5, playing: false });
    await press(" ");
    expect((await session.state()).playing).toBe(true);
    await press(" ");
    expect((await session.state()).playing).toBe(false);
    await session.set({ time: 0.5 });
    await press("ArrowRight");
    expect((await session.state()).time).toBeCloseTo(16 / 30);
    await press("ArrowLeft");
    await press("ArrowLeft");
    expect((await session.state()).time).toBeCloseTo(14 / 30);
    for (const [key, method] of Object.entries({ 2: "lbs", 3: "dqs", 4: "cor", 1: "ddm" })) {
      await press(key);
      expect((await session.state()).methods).toEqual([method]);
    }
    for (const [key, setting] of Object.entries({ w: "wireframe", s: "skeleton", n: "names", h: "heat" })) {
      const before = (await session.state())[setting];
      await press(key);
      expect((await session.state())[setting], key).toBe(!before);
    }
    await press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await session.set({ names: false, skeleton: false, wireframe: false, heat: false });
  });

  test("F frames the character, and a chosen joint", async () => {
    const { page } = session;
    await session.set({ joint: null });
    const places = async () =>
      (await page.evaluate("studio.jointPlaces()")) as { name: string; x: number; y: number }[];
    const between = async () => {
      const all = await places(),
        at = (name: string) => all.find((place) => place.name === name)!;
      return Math.hypot(at("hand_L").x - at("forearm_L").x, at("hand_L").y - at("forearm_L").y);
    };
    const box = (await page.locator(".stage > canvas").first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const near = await between();
    await page.mouse.wheel(0, 2000);
    await expect.poll(between).toBeLessThan(near);
    const far = await between();
    await page.locator("body").press("f");
    const whole = await between();
    expect(whole).toBeGreaterThan(1.2 * far);
    await session.set({ joint: "hand_L" });
    await page.locator("body").press("f");
    expect(await between()).toBeGreaterThan(2 * whole);
    const hand = (await places()).find(({ name }) => name === "hand_L")!;
    expect(Math.abs(hand.x - box.width / 2)).toBeLessThan(3);
    await session.set({ joint: null });
    await page.locator("body").press("f");
  });

  test.each(["Look", "Compare", "Tune", "Pose", "Make"])("all controls of %s are reached by Tab", async (name) => {
    const { page } = session;
    await session.tab(name);
    await page.evaluate("document.activeElement.blur()");
    const wanted = (await page.evaluate(`[...document.querySelectorAll(
      "button, select, input, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled &&
        e.tabIndex >= 0 && !(e.type === "radio" && !e.checked)).length`)) as number;
    const seen = new Set<string>();
    for (let i = 0; i < wanted + 12; ++i) {
      await page.keyboard.press("Tab");
      const named = (await page.evaluate(`(() => {
        const e = document.activeElement;
        if (e === document.body) return null;
        e.dataset.reached ??= String(Math.random());
        const label = e.labels?.[0]?.innerText ?? "";
        const group = e.closest("[role=radiogroup]")?.getAttribute("aria-label") ?? "";
        return [e.dataset.reached, e.getAttribute("aria-label") || label || group || e.innerText || e.title];
      })()`)) as [string, string] | null;
      if (!named) continue;
      expect(named[1].trim(), `the name of control ${i}`).not.toBe("");
      seen.add(named[0]);
    }
    expect(seen.size).toBeGreaterThanOrEqual(wanted);
  });
});

describe("compressed files", () => {
  const io = async () => {
    const { createDecoderModule, createEncoderModule } = createRequire(import.meta.url)("draco3dgltf");
    await Promise.all([MeshoptDecoder.ready, MeshoptEncoder.ready]);
    return new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
      "draco3d.decoder": await createDecoderModule(),
      "draco3d.encoder": await createEncoderModule(),
      "meshopt.decoder": MeshoptDecoder,
      "meshopt.encoder": MeshoptEncoder,
    });
  };

  test.each(["draco", "meshopt"])("%s is unpacked and shown as the program shows it", async (kind) => {
    const read = await io(),
      document = await read.read(biped());
    await document.transform(kind === "draco" ? draco() : meshopt({ encoder: MeshoptEncoder, level: "medium" }));
    const path = join(work, `${kind}.glb`);
    writeFileSync(path, await read.writeBinary(document));
    await session.drop(path);
    await session.page.waitForFunction(`studio.state().file === "${kind}.glb"`);
    await session.set({ methods: ["lbs"], clip: "walk", time: 0.5 });
    const native = deform(path, "--method", "lbs", "--clip", "walk", "--frames", "15:16");
    expect(apart(native, await session.positions())).toBeLessThan(2e-5);
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});

test("files without clips play the test motion", async () => {
  const still = made("still.glb", (out) => {
    const bytes = readFileSync(biped()),
      length = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
    delete json.animations;
    const text = Buffer.from(JSON.stringify(json).padEnd(length));
    writeFileSync(out, Buffer.concat([bytes.subarray(0, 20), text, bytes.subarray(20 + length)]));
  });
  await session.drop(still);
  await session.page.waitForFunction(`studio.state().file === "still.glb"`);
  expect(await session.state()).toMatchObject({ clip: "@range", clips: [], playing: true });
  expect(await session.page.getByLabel("Clip", { exact: true }).locator("option:checked").innerText()).toBe(
    "Test motion",
  );
  await session.set({ methods: ["ddm"], time: 2.5 });
  const native = deform(still, "--method", "ddm", "--clip", "@range", "--frames", "75:76");
  expect(apart(native, await session.positions())).toBeLessThan(4e-6);
});
