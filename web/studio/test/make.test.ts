// Through the controls a person uses, checked against the native program.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apart, bar, biped, deform, expectValid, made, pelt, readNpy, Session, work } from "./support.js";

let session: Session;
beforeAll(async () => {
  session = await Session.open(biped());
});
afterAll(async () => {
  await session?.close();
});

describe("make", () => {
  test("mush downloads what the program writes, and says the command", async () => {
    await session.set({ handles: [], kappa: 30 });
    await session.tab("Make");
    const { page } = session;
    expect(await page.locator(".command code").first().innerText()).toContain(
      "pelt mush biped.glb --kappa 30 -o biped_mushed.glb",
    );
    await page.getByRole("button", { name: "Mush", exact: true }).click();
    await page.locator("strong", { hasText: "biped_mushed.glb" }).waitFor();
    const bytes = await session.download("Download"),
      native = join(work, "mushed_native.glb"),
      own = join(work, "mushed_own.glb");
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
      try {
        await studio.run("bake", { helpers: 20, signal: stop.signal });
        return "done";
      } catch (error) {
        return error.name;
      }
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
    const own = join(work, "bones.glb"),
      out = join(work, "bones.npy");
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
