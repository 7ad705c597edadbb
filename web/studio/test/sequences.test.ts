// Mesh sequences in every format, decomposed and fitted as the native program does it.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { apart, bar, biped, deform, expectValid, made, openStudio, pelt, readNpy, work } from "./support.js";

const session = openStudio(() => [bar()]);

const every = ["--frames", "::6"];
const frames = (ending: string) => made(`bar.${ending}`, (out) => pelt("deform", bar(), ...every, "-o", out));
const rest = () => made("bar_rest.obj", (out) => pelt("deform", bar(), "--bind-pose", "-o", out));
const objects = () => {
  const folder = join(work, "bar_frames");
  if (!existsSync(folder)) pelt("deform", bar(), ...every, "-o", folder);
  return readdirSync(folder).map((name) => join(folder, name));
};

async function decompose(bones: string): Promise<Uint8Array> {
  const { page } = session;
  await page.locator(".segmented label", { hasText: "Decompose" }).click();
  await page.getByLabel("Bones", { exact: true }).fill(bones);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Decompose", exact: true }).click();
  await page.locator("strong", { hasText: "_bones.glb" }).waitFor({ timeout: 60_000 });
  return session.download("Download");
}

describe("sequences", () => {
  for (const [name, files] of [
    ["npy", () => [frames("npy"), rest()]],
    ["pc2", () => [frames("pc2"), rest()]],
    ["mdd", () => [frames("mdd"), rest()]],
    ["several obj", objects],
    ["glb with morph targets", () => [frames("morphs.glb")]],
  ] as const)
    test(`${name} is decomposed as the program does it`, async () => {
      await session.load(bar(), "bar.glb");
      const given = files();
      await session.drop(...given);
      const one = readNpy(made("one.npy", (out) => pelt("deform", bar(), "--bind-pose", "-o", out))),
        wanted = given[0].endsWith(".glb") ? deform(given[0]) : readNpy(frames("npy")),
        count = wanted.length / one.length;
      await session.page.getByText(`${count} frames of`).first().waitFor();
      const bytes = await decompose("4");
      await expectValid(bytes);
      const own = join(work, "own_bones.glb"),
        native = join(work, "native_bones.glb");
      writeFileSync(own, bytes);
      const source = name === "several obj" ? join(work, "bar_frames") : given[0];
      const faces = given.length === 2 ? ["--mesh", rest()] : [];
      pelt("decompose", source, ...faces, "--bones", "4", "-o", native);
      expect(apart(wanted, deform(own))).toBeLessThan(0.02);
      expect(apart(deform(native), deform(own))).toBeLessThan(5e-3);
    });

  const examples = (ending: string) =>
    made(`examples.${ending}`, (out) => pelt("deform", bar(), "--method", "ddm", "-o", out));

  for (const [name, given] of [
    ["npy", () => [examples("npy")]],
    ["glb with morph targets", () => [examples("glb")]],
    ["glb with morph targets, dropped with the character", () => [examples("glb"), bar()]],
  ] as const)
    test(`fit makes a skin from examples as ${name}, as the program does`, async () => {
      const { page } = session;
      if (given().length === 1) await session.load(bar(), "bar.glb");
      else await session.load(biped(), "other.glb");
      await session.drop(...given());
      await page.getByText("Fit or decompose it.").waitFor();
      expect((await session.state()).file).toBe("bar.glb");
      await page.locator(".segmented label", { hasText: "Fit" }).click();
      await page.getByRole("button", { name: "Fit", exact: true }).click();
      await page.locator("strong", { hasText: "bar_fitted.glb" }).waitFor({ timeout: 60_000 });
      const bytes = await session.download("Download"),
        own = join(work, "own_fit.glb"),
        native = join(work, "native_fit.glb");
      await expectValid(bytes);
      writeFileSync(own, bytes);
      const { clip } = await session.state(),
        file = given()[0];
      const report = JSON.parse(pelt("fit", bar(), file, "--clip", clip, "-o", native, "--json"));
      expect(apart(deform(native), deform(own))).toBeLessThan(1e-3);
      const facts = await page.locator("section", { hasText: "Largest error" }).locator("dl").innerText();
      expect(Number(/RMS error\s+([\d.e-]+)/.exec(facts)![1]) / report.rms).toBeCloseTo(1, 1);
      expect(await page.locator(".command code").first().innerText()).toContain(`pelt fit bar.glb ${basename(file)}`);
    });

  test("shapes of other vertices are opened themselves, and a sentence says what does not fit", async () => {
    const { page } = session;
    await session.load(biped(), "biped.glb");
    await session.drop(examples("glb"));
    await page.getByText("Fit or decompose it.").waitFor();
    expect((await session.state()).file).toBe("examples.glb");
    await session.drop(examples("glb"), biped());
    await page.waitForFunction("studio.state().file === 'biped.glb'");
    await page.getByText("Fit or decompose it.").waitFor();
    await page.locator(".segmented label", { hasText: "Fit" }).click();
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await page.getByText(/^examples\.glb: has \d+ vertices, biped\.glb has/).waitFor();
  });

  test("a sequence of other vertices than the faces is refused in a sentence", async () => {
    const short = join(work, "short");
    mkdirSync(short, { recursive: true });
    writeFileSync(join(short, "tiny.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    await session.drop(frames("npy"), join(short, "tiny.obj"));
    await session.page.getByText(/tiny\.obj: has 3 vertices, bar\.npy/).waitFor();
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
