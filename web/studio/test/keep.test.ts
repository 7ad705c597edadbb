// Through the controls a person uses, checked against the native program.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { biped, expectAccessible, openStudio, work } from "./support.js";

const session = openStudio(() => [biped()]);

/** Waits until the browser has kept something that is true of the settings. */
const kept = (page: Page, condition: string) =>
  expect
    .poll(
      () =>
        page.evaluate(`new Promise((resolve) => {
          const request = indexedDB.open("pelt-studio");
          request.onsuccess = () => {
            const all = request.result.transaction("tabs").objectStore("tabs").getAll();
            all.onsuccess = () => (request.result.close(), resolve(all.result.some(({ settings }) => ${condition})));
          };
        })`),
      { timeout: 10_000 },
    )
    .toBe(true);

/** How many pictures a WebM file has. */
function picturesOf(file: Buffer): number {
  expect(file.readUInt32BE(0)).toBe(0x1a45dfa3);
  const containers = [0x18538067, 0x1f43b675]; // the segment and its clusters
  let count = 0;
  for (let at = 0; at < file.length;) {
    const [id, idSize] = numberAt(file, at, false),
      [size, sizeSize] = numberAt(file, at + idSize, true);
    at += idSize + sizeSize;
    count += Number(id === 0xa3 || id === 0xa0); // a block, alone or in a group
    if (!containers.includes(id)) at += size;
  }
  return count;
}

/** A number of variable length, with or without the bits that say its length. */
function numberAt(file: Buffer, at: number, plain: boolean): [number, number] {
  const size = Math.clz32(file[at]) - 23;
  let value = plain ? file[at] & (0xff >> size) : file[at];
  for (let i = 1; i < size; ++i) value = value * 256 + file[at + i];
  return [value, size];
}

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
    await kept(session.page, "settings.kappa === 12");
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
    await kept(other, `settings.methods[0] === "cor"`);
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
    await kept(page, `settings.activity === "make"`);
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
    const [start, end] = (await session.state()).range;
    expect(picturesOf(file)).toBe(Math.round(30 * (end - start)) + 1);
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
    expect(picturesOf(file)).toBe(180);
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
      await session.tab(name);
      for (const theme of ["dark", "light"]) {
        await session.set({ theme, playing: false });
        await expectAccessible(session.page);
      }
    },
  );
});
