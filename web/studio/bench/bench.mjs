// How the page responds while it plays: npm run bench -w studio [-- --gpu]
// For each change: the time until it is shown, and meanwhile the poses that were computed a second, the pictures that
// were drawn, and the longest time the page itself was busy. Then what a frame costs while a clip plays, posed by the
// GPU and by the processor. --gpu: the machine's own Vulkan driver; without it the processor draws the pictures, on the
// cores that the workers need, so that fewer are drawn.
import { loadavg } from "node:os";
import { openPage, sample } from "../scripts/page.mjs";
import { costOfFrame } from "./frame_cost.mjs";

const gpu = process.argv.includes("--gpu"),
  viewport = { width: 640, height: 480 };

/** Runs in the page: what happens between a change and the moment when it is shown. */
const measure = async (change) => {
  let pictures = 0,
    busy = 0,
    done = false;
  const watch = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) busy = Math.max(busy, duration);
  });
  watch.observe({ type: "longtask" });
  const poses = studio.poses;
  const look = () => {
    ++pictures;
    if (!done) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const began = performance.now();
  if (typeof change === "number") await new Promise((resolve) => setTimeout(resolve, change));
  else await studio.set(change);
  const ms = performance.now() - began,
    shown = studio.poses - poses;
  done = true;
  await new Promise((resolve) => setTimeout(resolve, 100));
  watch.disconnect();
  return { ms, poses: (1000 * shown) / ms, pictures: (1000 * pictures) / ms, busy };
};

/** Runs in the page: a hand that is dragged along a curve as fast as the solver answers. */
const drag = async (count) => {
  const pin = (joint) => ({ joint, pinned: true, offset: [0, 0, 0] });
  const at = (i) => [
    pin("foot_L"),
    pin("foot_R"),
    {
      joint: "hand_L",
      pinned: false,
      offset: [-0.2 * Math.sin(i / 9), 0.3 + 0.2 * Math.cos(i / 7), 0.2],
    },
  ];
  await studio.set({ activity: "pose", handles: at(0), keys: [] });
  const began = performance.now();
  for (let i = 1; i <= count; ++i) await studio.set({ handles: at(i) });
  return (performance.now() - began) / count;
};

/** Runs in the page: milliseconds until each of several settings is ready, while nothing is drawn; their median. */
const notDrawn = async (settings) => {
  const { requestAnimationFrame } = window,
    resume = [],
    times = [];
  window.requestAnimationFrame = (then) => resume.push(then);
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const change of settings) {
    const began = performance.now();
    await studio.set(change);
    times.push(performance.now() - began);
  }
  window.requestAnimationFrame = requestAnimationFrame;
  for (const then of resume) requestAnimationFrame(then);
  return times.sort((a, b) => a - b)[times.length >> 1];
};

const rows = [],
  costs = [];
const row = (name, { ms, poses, pictures, busy }, goal, timed = true) =>
  rows.push([
    name,
    timed ? `${(ms / 1000).toFixed(2)} s` : "",
    goal,
    poses.toFixed(0),
    pictures.toFixed(0),
    busy ? `${busy.toFixed(0)} ms` : "< 50 ms",
  ]);

for (const [vertices, changes] of [
  [20000, true],
  [100000, false],
]) {
  const file = sample("biped", `${vertices}.glb`, "--skin", "smooth", "--resolution", String(vertices));
  const { page, close } = await openPage([file], { viewport, gpu });
  const run = (change) => page.evaluate(`(${measure})(${JSON.stringify(change)})`);
  const thousands = `${vertices / 1000}k`;
  const alone = async (name, settings, goal) => {
    const ms = await page.evaluate(`(${notDrawn})(${JSON.stringify(settings)})`);
    rows.push([`${thousands}, ${name}, not drawn`, `${ms.toFixed(1)} ms`, goal, "", "", ""]);
  };
  const times = Array.from({ length: 100 }, (_, i) => ({ time: ((7 * i) % 30) / 30 }));
  for (const method of ["ddm", "lbs"]) {
    await page.evaluate(`studio.set({ method: "${method}", clip: studio.state().clips[0], time: 0 })`);
    await alone(`a pose by ${method}`, times, "16.7 ms");
  }
  if (changes) {
    await page.evaluate("studio.set({ method: 'ddm', kappa: 5 })");
    await alone("κ", [{ kappa: 6 }, { kappa: 7 }, { kappa: 8 }], "300 ms");
    await alone("α", [{ alpha: 0.3 }, { alpha: 0.4 }, { alpha: 0.6 }], "300 ms");
    await alone("λ", [{ lambda: 8 }, { lambda: 9 }, { lambda: 10 }], "2000 ms");
    await page.evaluate("studio.set({ lambda: null, kappa: null, alpha: null })");
  }
  for (const method of ["ddm", "lbs", "dqs"]) {
    const { page: own, worker, bytes } = await costOfFrame(page, method);
    const by = method === "dqs" ? "processor" : "GPU";
    costs.push([
      `${thousands}, ${method}, posed by the ${by}`,
      `${own.toFixed(2)} ms`,
      `${worker.toFixed(2)} ms`,
      `${(bytes / 1000).toFixed(1)} kB`,
    ]);
  }
  await page.evaluate("studio.set({ clip: studio.state().clips[0], playing: true, method: 'ddm' })");
  row(`${thousands}, DDM plays`, await run(3000), "60 poses/s", false);
  await page.evaluate("studio.set({ method: 'lbs' })");
  row(`${thousands}, LBS plays`, await run(3000), "60 poses/s", false);
  if (changes) {
    await page.evaluate("studio.set({ method: 'ddm', kappa: 5 })");
    for (const [name, change, goal] of [
      ["κ", { kappa: 10 }, "0.3 s"],
      ["κ again", { kappa: 20 }, "0.3 s"],
      ["α", { alpha: 0.6 }, "0.3 s"],
      ["α again", { alpha: 0.4 }, "0.3 s"],
      ["λ", { lambda: 8 }, "2 s"],
      ["bind", { bind: "keep" }, "2 s"],
    ])
      row(`${thousands}, ${name}`, await run(change), goal);
    await page.evaluate("studio.set({ playing: false, lambda: null, kappa: null, alpha: null, bind: null })");
    const ms = await page.evaluate(`(${drag})(60)`);
    rows.push([`${thousands}, a hand dragged`, `${ms.toFixed(1)} ms`, "16.7 ms", "", "", ""]);
  }
  await close();
}

console.log(`load of the machine ${loadavg()[0].toFixed(1)}; pictures drawn by the ${gpu ? "GPU" : "processor"}`);
table(["", "shown after", "goal", "poses/s", "pictures/s", "page busy at most"], rows);
console.log("\na frame that plays, without drawing it");
table(["", "page", "worker", "sent to the GPU"], costs);

function table(head, lines) {
  const widths = head.map((_, c) => Math.max(...[head, ...lines].map((line) => line[c].length)));
  for (const line of [head, ...lines]) console.log(line.map((word, c) => word.padEnd(widths[c])).join("  "));
}
