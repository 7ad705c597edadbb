// Memory of the page in long use: load, tune, compare, pose, mush and bake, then another character, again and again.
//   npm run memory -w studio [-- MINUTES]         (default 30; the first minute is the measure)
// Prints a line a minute and fails where the end is 1.5 times the memory after the first minute, or more.
// Linux: memory is what all processes of the browser hold, shared pages counted once (PSS).
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { choose, openPage, sample } from "../scripts/page.mjs";

const minutes = Number(process.argv[2] ?? 30);
const files = [
  sample("biped", "first.glb", "--skin", "smooth", "--resolution", "20000"),
  sample("biped", "second.glb", "--skin", "smooth", "--resolution", "12000"),
  sample("arm", "third.glb", "--skin", "smooth"),
];
const { page, close } = await openPage(files.slice(0, 1));
page.on("console", (message) => message.type() === "error" && console.error(message.text()));

/** All processes that descend from this one, by /proc. */
function descendants() {
  const parents = new Map();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      parents.set(Number(id), Number(readFileSync(`/proc/${id}/stat`, "latin1").split(") ").at(-1).split(" ")[1]));
    } catch {} // it has ended meanwhile
  const below = (id) =>
    [...parents].filter(([, parent]) => parent === id).flatMap(([child]) => [child, ...below(child)]);
  return below(process.pid);
}

function megabytes() {
  let kilobytes = 0;
  for (const id of descendants())
    try {
      const name = readFileSync(`/proc/${id}/comm`, "latin1");
      if (!name.startsWith("chrom")) continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "latin1"))[1]);
    } catch {}
  return kilobytes / 1024;
}

const button = (name) => page.getByRole("button", { name, exact: true });
const settled = () => page.evaluate("studio.set({})");

async function tab(name) {
  await page.getByRole("tab", { name }).click();
  await settled();
}

async function tune() {
  await tab("Tune");
  for (const [label, values] of [
    ["κ translations", [2, 9, 40]],
    ["α follow bones", [0.3, 0.8]],
    ["λ rotations", [5]],
  ])
    for (const value of values) {
      await page.getByLabel(`${label}, as a number`).fill(String(value));
      await page.keyboard.press("Enter");
      await settled();
    }
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Control+z");
}

async function compare() {
  await tab("Compare");
  await page.getByLabel("Method of view 2", { exact: true }).selectOption("dqs");
  await page.waitForFunction("studio.curves() !== null", null, { timeout: 120000 });
  await page.locator(".moments button").first().click();
  await page.getByRole("button", { name: "Remove view 2" }).click();
}

async function pose() {
  await tab("Pose");
  const joints = page.getByLabel("Joint to hold");
  const names = await joints.locator("option").allInnerTexts();
  await joints.selectOption(names.at(-1));
  await button("Pull").click();
  await page.getByLabel(`${names.at(-1)}, offset along y`).fill("0.1");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(1000);
}

async function make() {
  await tab("Make");
  for (const verb of ["Mush", "Bake"]) {
    await page.locator(".segmented label", { hasText: verb }).click();
    await button(verb).click();
    await page.locator("strong", { hasText: verb === "Mush" ? "mushed" : "baked" }).waitFor({ timeout: 300000 });
  }
}

async function load(file) {
  await choose(page, file);
  await page.waitForFunction(`studio.state().file === ${JSON.stringify(basename(file))}`);
  await settled();
}

const began = performance.now(),
  now = () => (performance.now() - began) / 60000;
let first = 0,
  largest = 0,
  rounds = 0,
  reported = -1;
function report() {
  const used = megabytes();
  if (first === 0 && now() >= 1) first = used;
  if (first > 0) largest = Math.max(largest, used);
  if (Math.floor(now()) === reported) return;
  reported = Math.floor(now());
  console.log(`${now().toFixed(1)} min  ${Math.round(used)} MB  after ${rounds} rounds`);
}
while (now() < minutes) {
  for (const work of [tune, compare, pose, make, () => load(files[++rounds % files.length])]) {
    await work();
    report();
  }
}
const last = megabytes();
console.log(
  `after the first minute ${Math.round(first)} MB, at the end ${Math.round(last)} MB ` +
    `(${(last / first).toFixed(2)} times), at most ${Math.round(largest)} MB, ${rounds} rounds`,
);
await close();
process.exit(last < 1.5 * first ? 0 : 1);
