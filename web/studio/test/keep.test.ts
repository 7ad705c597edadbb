// Through the controls a person uses, checked against the native program.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { biped, Session, work } from "./support.js";

let session: Session;
beforeAll(async () => {
  session = await Session.open(biped());
});
afterAll(async () => {
  await session?.close();
});

describe("keep", () => {
  test("a reload brings back file, settings, handles and keys", async () => {
    await session.set({
      methods: ["dqs", "lbs"],
      clip: "walk",
      time: 0.4,
      kappa: 12,
      wireframe: true,
      handles: [{ joint: "hand_L", pinned: false, offset: [0.1, 0, 0] }],
      keys: [{ time: 0, offsets: [[0.1, 0, 0]] }],
    });
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

  test("a crash of the tab in the middle of work loses nothing", async () => {
    const { page } = session;
    await session.set({ methods: ["ddm"], clip: "walk", time: 0.3, lambda: 7, handles: [], keys: [] });
    await session.tab("Pose");
    await page.getByLabel("Joint to hold").selectOption("hand_R");
    await page.getByRole("button", { name: "Pull", exact: true }).click();
    await page.getByLabel("hand_R, offset along y").fill("0.15");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Key this pose (K)" }).click();
    await session.tab("Make");
    await page.getByRole("button", { name: "Mush", exact: true }).click(); // still running when the tab dies
    await page.waitForTimeout(400);
    const before = await session.state();
    const messages = session.messages.length,
      crashed = new Promise((resolve) => page.once("crash", resolve));
    await page.goto("chrome://crash").catch(() => undefined);
    await crashed;
    await page.close().catch(() => undefined);
    session.messages.length = messages;
    session.page = await session.newPage();
    await session.shown();
    const after = await session.state();
    expect(after.handles.length).toBe(1);
    for (const key of ["file", "methods", "clip", "lambda", "handles", "keys", "activity"])
      expect(after[key]).toEqual(before[key]);
  });

  test("a picture is saved by one key", async () => {
    const [event] = await Promise.all([session.page.waitForEvent("download"), session.page.locator("body").press("p")]);
    expect(event.suggestedFilename()).toBe("biped.png");
    expect(
      readFileSync((await event.path())!)
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });

  test("the clip is saved as WebM", async () => {
    const [event] = await Promise.all([
      session.page.waitForEvent("download"),
      session.page.getByRole("button", { name: "Record the clip as WebM" }).click(),
    ]);
    const file = readFileSync((await event.path())!);
    expect(file.readUInt32BE(0)).toBe(0x1a45dfa3);
    expect(file.length).toBeGreaterThan(10_000);
  });

  test("a turntable is saved as WebM, and the camera comes back", async () => {
    const { page } = session;
    const places = () => page.evaluate("studio.jointPlaces()");
    await session.set({ clip: null, playing: false });
    const before = await places();
    const [event] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Record a turntable as WebM" }).click(),
    ]);
    expect(event.suggestedFilename()).toBe("biped_turn.webm");
    const file = readFileSync((await event.path())!);
    expect(file.readUInt32BE(0)).toBe(0x1a45dfa3);
    expect(file.length).toBeGreaterThan(10_000);
    expect(await places()).toEqual(before);
    expect(await page.getByRole("button", { name: "Record the clip as WebM" }).isDisabled()).toBe(true);
  });

  test("the built folder works from the program's address alone, without a word in the console", () => {
    expect(existsSync(join(work, "biped.glb"))).toBe(true);
    expect(session.messages).toEqual([]);
  });
});

describe("everybody", () => {
  test.each(["Look", "Compare", "Tune", "Pose", "Make"])(
    "axe finds nothing serious in %s, dark and light",
    async (name) => {
      const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
      await session.tab(name);
      await session.page.evaluate(source);
      for (const theme of ["dark", "light"]) {
        await session.set({ theme, playing: false });
        await session.page.waitForTimeout(100);
        const found: any = await session.page.evaluate("axe.run()");
        const serious = found.violations.filter((v: any) => ["serious", "critical"].includes(v.impact));
        expect(
          serious.map(
            (v: any) =>
              `${v.id}: ${v.nodes
                .map((n: any) => n.html)
                .slice(0, 3)
                .join(" ")}`,
          ),
        ).toEqual([]);
      }
    },
  );
});
