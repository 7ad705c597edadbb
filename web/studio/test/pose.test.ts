// Through the controls a person uses, checked against the native program.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, pelt, Session, work } from "./support.js";

let session: Session;
beforeAll(async () => {
  session = await Session.open(biped());
});
afterAll(async () => {
  await session?.close();
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
      let best = 0,
        distance = Infinity;
      for (let v = 0; v < rest.length / 3; ++v) {
        const d = Math.hypot(rest[3 * v] - x, rest[3 * v + 1] - y, rest[3 * v + 2] - z);
        if (d < distance) [best, distance] = [v, d];
      }
      return best;
    };
    const joints = JSON.parse(pelt("info", biped(), "--json")).joints;
    const place = (name: string) =>
      joints.find((joint: any) => joint.name === name).position as [number, number, number];
    expect(moved(nearest(...place("hand_R")))).toBeGreaterThan(0.2);
    expect(moved(nearest(...place("foot_L")))).toBeLessThan(0.02);
    await page.locator("body").press("k");
    expect((await session.state()).keys.length).toBe(2);
    const { handles, keys } = await session.state();
    await page.getByRole("button", { name: "Make a clip" }).click();
    await page.getByRole("button", { name: "Download", exact: true }).waitFor();
    const posed = await session.download("Download");
    await expectValid(posed);
    const file = join(work, "handles.json"),
      native = join(work, "posed_native.glb"),
      own = join(work, "posed.glb");
    writeFileSync(
      file,
      JSON.stringify({
        handles: [
          { joint: "foot_L", constraint: "hold" },
          { joint: "hand_R", constraint: "position", offsets: keys.map((key: any) => [key.time, key.offsets[1]]) },
        ],
      }),
    );
    expect(handles[1].joint).toBe("hand_R");
    writeFileSync(own, posed);
    pelt("pose", biped(), "--handles", file, "-o", native);
    const clip = JSON.parse(pelt("info", native, "--json")).clips.at(-1).name;
    expect(apart(deform(native, "--clip", clip), deform(own, "--clip", clip))).toBeLessThan(1e-4);
  });

  test("a joint is pulled with the pointer", async () => {
    await session.tab("Pose");
    await session.set({ handles: [], keys: [] });
    const { page } = session,
      box = (await page.locator(".stage > canvas").first().boundingBox())!;
    const before = await session.positions();
    const at = (await page.evaluate("studio.jointPlaces()")) as { name: string; x: number; y: number }[];
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
