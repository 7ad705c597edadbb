// The pose that is shown while handles are moved is the one that is exported and that `pelt pose` finds.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, openStudio, pelt, work } from "./support.js";

const session = openStudio(() => [biped()]);

const foot = { joint: "foot_L", pinned: true, offset: [0, 0, 0] };
const hand = (x: number, y: number, z: number) => ({ joint: "hand_R", pinned: false, offset: [x, y, z] });

/** What `pelt pose` makes of the handles that the page saves, deformed by the method that the page shows. */
async function native(...options: string[]): Promise<{ file: string; pose: Float32Array }> {
  const handles = join(work, "live_handles.json"),
    file = join(work, "live_native.glb");
  writeFileSync(handles, await session.download("Handles file"));
  pelt("pose", biped(), "--handles", handles, "-o", file, ...options);
  return { file, pose: deform(file, "--method", "ddm", "--clip", "0") };
}

/** The file that *Make a clip* gives. */
async function exported(): Promise<string> {
  const { page } = session,
    file = join(work, "live_exported.glb");
  await page.getByRole("button", { name: "Make a clip" }).click();
  await page.getByRole("button", { name: "Download", exact: true }).waitFor();
  const bytes = await session.download("Download");
  await expectValid(bytes);
  writeFileSync(file, bytes);
  await session.set({ activity: "pose" });
  return file;
}

describe("what is dragged", () => {
  test("with pins, a region of the skin and a joint is what is exported", async () => {
    await session.tab("Pose");
    const region = { vertices: [100, 101, 102], pinned: true, offset: [0, 0, 0] };
    for (const offset of [hand(0.1, 0.1, 0.1), hand(0, 0.35, 0.2)])
      await session.set({ handles: [foot, region, offset], keys: [], activity: "pose" });
    const shown = await session.positions(),
      { pose } = await native();
    expect(apart(pose, shown)).toBeLessThan(1e-5);
    expect(apart(deform(await exported(), "--method", "ddm", "--clip", "0"), shown)).toBeLessThan(1e-5);
  });

  test("starts from the frame of a clip that was shown, within limits, and the command says so", async () => {
    const { page } = session;
    await session.set({ activity: "look", clip: "walk", time: 0.4 });
    await session.tab("Pose");
    await session.set({ handles: [], keys: [] });
    await page.getByLabel("Start from").selectOption({ label: "walk at 0.40 s" });
    await session.set({});
    const start = deform(biped(), "--method", "ddm", "--clip", "walk", "--frames", "12:13");
    expect(apart(start, await session.positions())).toBeLessThan(4e-6);
    const limits = { default: { bend: 35, twist: 20 } },
      file = join(work, "live_limits.json");
    writeFileSync(file, JSON.stringify(limits));
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Joint limits…" }).click(),
    ]);
    await chooser.setFiles(file);
    await page.waitForFunction("studio.state().limits !== null");
    await session.set({ handles: [foot, hand(0, 0.4, 0.2)] });
    const shown = await session.positions(),
      limited = await native("--clip", "walk", "--at", "0.4", "--limits", file),
      free = await native("--clip", "walk", "--at", "0.4");
    expect(apart(limited.pose, shown)).toBeLessThan(1e-5);
    expect(apart(free.pose, shown)).toBeGreaterThan(1e-3);
    expect(await page.locator(".command code").first().innerText()).toContain(
      "--limits limits.json --clip walk --at 0.4",
    );
    expect(apart(deform(await exported(), "--method", "ddm", "--clip", "0"), shown)).toBeLessThan(1e-5);
    await session.set({ poseFrom: null, limits: null });
  });

  test("over keys is the clip, at every moment", async () => {
    await session.set({ handles: [foot, hand(0, 0, 0)], keys: [], time: 0 });
    const keys = [
      {
        time: 0,
        offsets: [
          [0, 0, 0],
          [0, 0, 0],
        ],
      },
      {
        time: 0.4,
        offsets: [
          [0, 0, 0],
          [0, 0.4, 0.2],
        ],
      },
    ];
    await session.set({ keys, time: 0.2 });
    const { pose } = await native(),
      size = pose.length / 13,
      shown = await session.positions();
    expect(apart(pose.subarray(6 * size, 7 * size), shown)).toBeLessThan(1e-5);
    await session.set({ time: 0.4 });
    expect(apart(pose.subarray(12 * size), await session.positions())).toBeLessThan(1e-5);
  });
});
