// What a frame of a clip that plays costs: milliseconds of the page's thread (of the processor) and of the worker (the
// median frame) while nothing is drawn, and the bytes that go to the GPU when it is.

/** Runs in the worker: keeps the time from each message to its answer. */
const watchWorker = () => {
  const { postMessage } = self;
  let began = 0;
  self.spent = [];
  addEventListener("message", () => (began = performance.now()), { capture: true });
  self.postMessage = (...values) => {
    self.spent.push(performance.now() - began);
    postMessage.apply(self, values);
  };
};

/** Runs in the page: frames one after the other, none of them drawn. */
const play = async (count) => {
  const { requestAnimationFrame } = window,
    resume = [];
  window.requestAnimationFrame = (then) => resume.push(then);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await window.begin();
  for (let i = 0; i < count; ++i) await studio.set({ time: ((7 * i) % 30) / 30, playing: true });
  await window.end();
  window.requestAnimationFrame = requestAnimationFrame;
  for (const then of resume) requestAnimationFrame(then);
};

/** Runs in the page: the bytes per pose that WebGL is given while the clip plays. */
const countBytes = async (poses) => {
  const { prototype } = WebGL2RenderingContext,
    own = {};
  let bytes = 0;
  const wait = async (count) => {
    for (const end = studio.poses + count; studio.poses < end;) await new Promise(requestAnimationFrame);
  };
  await wait(2); // what goes there once
  for (const name of ["bufferData", "bufferSubData", "texImage2D", "texSubImage2D"]) {
    own[name] = prototype[name];
    prototype[name] = function (...values) {
      for (const value of values) if (ArrayBuffer.isView(value)) bytes += value.byteLength;
      return own[name].apply(this, values);
    };
  }
  let pictures = 0;
  for (const end = studio.poses + poses; studio.poses < end; ++pictures) await new Promise(requestAnimationFrame);
  Object.assign(prototype, own);
  return bytes / Math.min(pictures, poses);
};

const watched = new WeakMap();

/** The page, its thread's busy time and its worker, watched from now on. */
async function watch(page) {
  if (watched.has(page)) return watched.get(page);
  const worker = page.workers().find((one) => one.url().includes("player"));
  await worker.evaluate(`(${watchWorker})()`);
  const thread = await page.context().newCDPSession(page);
  await thread.send("Performance.enable", { timeDomain: "threadTicks" });
  const now = async () => {
    const { metrics } = await thread.send("Performance.getMetrics"),
      seconds = metrics.find(({ name }) => name === "TaskDuration").value;
    return { page: 1000 * seconds, worker: await worker.evaluate("spent.splice(0)") };
  };
  const marks = {};
  for (const name of ["begin", "end"]) await page.exposeFunction(name, async () => void (marks[name] = await now()));
  const found = { marks };
  watched.set(page, found);
  return found;
}

export async function costOfFrame(page, method, count = 100) {
  const { marks } = await watch(page);
  await page.evaluate(`studio.set({ method: "${method}", clip: studio.state().clips[0], time: 0 })`);
  await page.evaluate(`(${play})(${count})`);
  const bytes = await page.evaluate(`(${countBytes})(8)`);
  return {
    page: (marks.end.page - marks.begin.page) / count,
    worker: marks.end.worker.sort((a, b) => a - b)[marks.end.worker.length >> 1],
    bytes,
  };
}
