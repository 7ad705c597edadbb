// Through the controls a person uses, checked against the native program.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { VerbRow } from "@pelt/core";
import { apart, bar, biped, deform, expectValid, made, openStudio, pelt, program, readNpy, work } from "./support.js";

const session = openStudio(() => [biped()]);

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

  test("bind downloads what the program writes", async () => {
    await session.load(bar(), "bar.glb");
    await session.tab("Make");
    const { page } = session;
    await page.locator(".segmented label", { hasText: "Bind" }).click();
    await page.getByLabel("Method", { exact: true }).selectOption("bbw");
    await page.getByLabel("Joints per vertex").fill("3");
    await page.keyboard.press("Enter");
    const command = await page.locator(".command code").first().innerText();
    expect(command).toContain("pelt bind bar.glb --method bbw --influences 3 -o bar_bound.glb");
    await page.getByRole("button", { name: "Bind", exact: true }).click();
    await page.locator("strong", { hasText: "bar_bound.glb" }).waitFor({ timeout: 90_000 });
    const bytes = await session.download("Download"),
      own = join(work, "bound_own.glb"),
      native = join(work, "bound_native.glb");
    await expectValid(bytes);
    writeFileSync(own, bytes);
    pelt("bind", bar(), "--method", "bbw", "--influences", "3", "-o", native);
    expect(apart(deform(native, "--frames", "::9"), deform(own, "--frames", "::9"))).toBeLessThan(1e-4);
    await session.load(biped(), "biped.glb");
    await session.tab("Make");
  });

  test("bake with helper joints says what it costs, as the program does", async () => {
    const { page } = session;
    await page.locator(".segmented label", { hasText: "Bake" }).click();
    await page.getByLabel("Helper joints").fill("3");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Bake", exact: true }).click();
    await page.getByRole("progressbar", { name: "Progress" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden", timeout: 90_000 });
    const bytes = await session.download("Download"),
      own = join(work, "helped_own.glb"),
      native = join(work, "helped_native.glb");
    await expectValid(bytes);
    writeFileSync(own, bytes);
    const report = JSON.parse(pelt("bake", biped(), "--helpers", "3", "--clip", "walk", "-o", native, "--json"));
    const facts = await page.locator("section", { hasText: "Largest error" }).locator("dl").innerText();
    const rms = Number(/RMS error\s+([\d.e-]+)/.exec(facts)![1]);
    expect(rms / report.rms).toBeCloseTo(1, 2);
    expect(facts).toMatch(/Helper joints\s+3/);
    const at = ["--clip", "walk", "--frames", "::9"];
    expect(apart(deform(native, ...at), deform(own, ...at))).toBeLessThan(2e-3);
  });

  test("a person stops a verb, and the page says so and goes on", async () => {
    const { page } = session;
    await page.getByLabel("Helper joints").fill("30");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Bake", exact: true }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    expect(await page.getByRole("button", { name: "Bake", exact: true }).isEnabled()).toBe(true);
  });

  test("commands are copied by a click, and do what they say", async () => {
    const { page } = session;
    await session.load(biped(), "biped.glb");
    await session.set({ methods: ["ddm", "dqs"], clip: "walk", time: 0.5, kappa: 12, jointAlpha: { hand_L: 0.4 } });
    await session.tab("Make");
    await page
      .locator("section", { hasText: "These settings as commands" })
      .getByRole("button", { name: "Copy the command" })
      .click();
    const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
    const folder = mkdtempSync(join(work, "commands-"));
    copyFileSync(biped(), join(folder, "biped.glb"));
    for (const line of copied.split("\n")) {
      expect(line).toMatch(/^pelt /);
      execFileSync("sh", ["-c", line.replace(/^pelt/, `'${program}'`)], { cwd: folder, stdio: "ignore" });
    }
    for (const [view, method] of ["ddm", "dqs"].entries()) {
      const all = readNpy(join(folder, `biped_${method}.npy`)),
        size = (await session.positions(view)).length;
      expect(apart(all.subarray(15 * size, 16 * size), await session.positions(view))).toBeLessThan(4e-6);
    }
    await page.locator(".segmented label", { hasText: "Mush" }).click();
    await page.getByRole("button", { name: "Mush", exact: true }).click();
    await page.locator("strong", { hasText: "biped_mushed.glb" }).waitFor({ timeout: 60_000 });
    const own = join(work, "tuned_own.glb");
    writeFileSync(own, await session.download("Download"));
    const at = ["--method", "ddm", "--clip", "walk", "--frames", "::9"];
    expect(apart(deform(join(folder, "biped_mushed.glb"), ...at), deform(own, ...at))).toBeLessThan(4e-6);
    await session.set({ methods: ["ddm"], kappa: null, jointAlpha: {} });
  });

  test("every verb of the table is there, with every option", async () => {
    const { page } = session,
      table: VerbRow[] = JSON.parse(pelt("verbs", "--json")).verbs;
    const makers = table.filter(({ where, browser }) => where === "everywhere" && browser);
    await session.tab("Make");
    const tabs = page.getByRole("radiogroup", { name: "What to make" }).getByRole("radio");
    expect(await tabs.evaluateAll((all) => all.map(({ id }) => id))).toEqual(makers.map(({ name }) => `verb-${name}`));
    const tuned = "lambda kappa alpha iterations bind laplacian smoothing joint_alpha lambda_map kappa_map alpha_map";
    for (const { name, options } of makers) {
      await page.locator(`label[for="verb-${name}"]`).click();
      const has = (option: string) => options.some((row) => row.name === option),
        inTune = has("kappa") && !has("method") ? tuned.split(" ") : [];
      const shown = options.filter(
        (row) => row.where === "everywhere" && row.name !== "clip" && !inTune.includes(row.name),
      );
      const helps = await page.locator("[title]").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
      for (const { help } of shown) expect(helps, name).toContain(help);
    }
    await page.locator('label[for="verb-mush"]').click();
  });

  test("bake with virtual joints, from the folded options, says the command", async () => {
    await session.load(bar(), "bar.glb");
    await session.tab("Make");
    const { page } = session;
    await page.locator('label[for="verb-bake"]').click();
    await page.locator("summary", { hasText: "Other options" }).click();
    await page.getByLabel("Virtual joints").fill("2");
    await page.keyboard.press("Enter");
    expect(await page.locator(".command code").first().innerText()).toContain("--virtual 2");
    await page.getByRole("button", { name: "Bake", exact: true }).click();
    await page.locator("strong", { hasText: "bar_baked.glb" }).waitFor();
    await expectValid(await session.download("Download"));
    await session.load(biped(), "biped.glb");
    await session.tab("Make");
  });

  test("transfer takes a second file, lod offers its levels", async () => {
    const { page } = session;
    await page.locator('label[for="verb-transfer"]').click();
    await page.getByRole("button", { name: "Transfer", exact: true }).click();
    await page.getByText('Choose the file for "To" first').waitFor();
    await page.getByLabel("To", { exact: true }).setInputFiles(biped(800));
    await page.locator(".command code", { hasText: "pelt transfer biped.glb biped800.glb" }).waitFor(); // it is read
    await page.getByRole("button", { name: "Transfer", exact: true }).click();
    await page.locator("strong", { hasText: "biped_transfer.glb" }).waitFor();
    const own = join(work, "transfer_own.glb"),
      native = join(work, "transfer_native.glb");
    writeFileSync(own, await session.download("Download"));
    pelt("transfer", biped(), biped(800), "-o", native);
    expect(apart(deform(native, "--frames", "::9"), deform(own, "--frames", "::9"))).toBeLessThan(1e-4);
    await page.locator('label[for="verb-lod"]').click();
    await page.getByLabel("Ratios").fill("0.5, 0.2");
    await page.keyboard.press("Enter");
    expect(await page.locator(".command code").first().textContent()).toMatch(
      /--ratios 0.5 --ratios 0.2 -o biped_lod$/,
    );
    await page.getByRole("button", { name: "Lod", exact: true }).click();
    await expectValid(await session.download("Download level 2"));
  });

  test("deform downloads a sequence, compare and info a report, as the program has them", async () => {
    await session.load(bar(), "bar.glb");
    await session.tab("Make");
    const { page } = session,
      command = () => page.locator(".command code").first().textContent(),
      run = async (verb: string, name: string) => {
        await page.locator(".run").getByRole("button", { name: verb, exact: true }).click();
        await page.locator("strong", { hasText: name }).waitFor();
      };
    await page.locator('label[for="verb-deform"]').click();
    await page.getByLabel("Method", { exact: true }).selectOption("dqs");
    await page.getByLabel("Frames", { exact: true }).fill("::9");
    await page.keyboard.press("Enter");
    expect(await command()).toMatch(/^pelt deform bar.glb --method dqs --frames ::9 --clip \S+ -o bar_deformed.npy$/);
    await run("Deform", "bar_deformed.npy");
    const frames = join(work, "frames_own.npy");
    writeFileSync(frames, await session.download("Download"));
    const clip = JSON.parse(pelt("info", bar(), "--json")).clips[0].name;
    const native = deform(bar(), "--method", "dqs", "--frames", "::9", "--clip", clip);
    expect(apart(native, readNpy(frames))).toBeLessThan(4e-6);

    await page.locator('label[for="verb-info"]').click();
    expect(await command()).toBe("pelt info bar.glb --json > bar_info.json");
    await run("Info", "bar_info.json");
    const reported = async () => JSON.parse(new TextDecoder().decode(await session.download("Download")));
    expect((await reported()).vertices).toBe(JSON.parse(pelt("info", bar(), "--json")).vertices);

    await page.locator('label[for="verb-compare"]').click();
    await page.getByLabel("B", { exact: true }).setInputFiles(bar());
    await run("Compare", "bar_compare.json");
    expect((await reported()).max).toBe(0);
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
    await page.getByLabel("Bones", { exact: true }).fill("4");
    await page.keyboard.press("Enter");
    const command = (await page.locator(".command code").first().textContent())!;
    expect(command).toBe("pelt decompose bar_frames.npy --mesh bar_rest.obj --bones 4 -o bar_frames_bones.glb");
    execFileSync("sh", ["-c", command.replace(/^pelt/, `'${program}'`)], { cwd: work, stdio: "ignore" });
    await page.getByRole("button", { name: "Decompose", exact: true }).click();
    await page.locator("strong", { hasText: "bar_frames_bones.glb" }).waitFor();
    const bytes = await session.download("Download");
    await expectValid(bytes);
    const own = join(work, "bones.glb"),
      out = join(work, "bones.npy");
    writeFileSync(own, bytes);
    pelt("deform", own, "-o", out);
    expect(apart(readNpy(frames), readNpy(out))).toBeLessThan(0.02);
    expect(apart(deform(join(work, "bar_frames_bones.glb")), readNpy(out))).toBeLessThan(5e-3);
    const named = (file: string) => JSON.parse(pelt("info", file, "--json")).clips.map(({ name }: any) => name);
    expect(named(own)).toEqual(named(join(work, "bar_frames_bones.glb")));
  });

  test("what cannot be made is said in a sentence", async () => {
    await session.load(biped(), "biped.glb");
    await expect(session.page.evaluate(`studio.run("mush", { alpha: 7 })`)).rejects.toThrow(/alpha/);
    expect((await session.state()).file).toBe("biped.glb");
  });
});
