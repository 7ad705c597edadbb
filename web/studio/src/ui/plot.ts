import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { App } from "../app.js";
import { methodLabels } from "../state/settings.js";
import { h, number } from "./dom.js";

const colors = ["--plot-1", "--plot-2", "--plot-3"];

const above = 16; // for the legend
const sizeOf = (box: HTMLElement) => ({ width: box.clientWidth, height: Math.max(box.clientHeight - above, 1) });

/** Which line is which: a color for each view, and what solid and dashed mean. */
function legendOf(methods: readonly string[]): HTMLElement {
  const views = methods
    .slice(1)
    .map((method, i) =>
      h("span", {}, h("i", { style: `background: var(${colors[i]})` }), methodLabels[method] ?? method),
    );
  return h("div", { class: "legend" }, ...views, h("span", { class: "how" }, "solid: largest, dashed: RMS"));
}

/** RMS and largest error over the clip. A click goes there. */
export function buildPlot(host: HTMLElement, app: App): void {
  const { store } = app;
  const box = h("div", { class: "plot", role: "img", "aria-label": "Error over the clip" });
  const cursor = h("i", { class: "plot-cursor" });
  host.prepend(box);
  let plot: uPlot | null = null,
    start = 0;

  const draw = () => {
    plot?.destroy();
    plot = null;
    const { activity, methods } = store.state;
    const shown = activity === "compare" && methods.length > 1 && app.loaded !== null;
    box.hidden = !shown;
    box.replaceChildren();
    if (shown && !app.curves) box.append(h("p", { class: "measuring", role: "status" }, "Measuring the clip…"));
    if (!shown || !app.curves || app.curves.times.length < 2) return;
    const { times, curves } = app.curves,
      style = getComputedStyle(document.documentElement);
    start = times[0];
    const color = (name: string) => style.getPropertyValue(name).trim();
    const series = curves.flatMap((_, i): uPlot.Series[] => [
      { label: `${methods[i + 1]} largest`, stroke: color(colors[i]), width: 1.6, points: { show: false } },
      { label: `${methods[i + 1]} RMS`, stroke: color(colors[i]), width: 1.2, dash: [4, 3], points: { show: false } },
    ]);
    const axis = { stroke: color("--muted"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
    plot = new uPlot(
      {
        ...sizeOf(box),
        legend: { show: false },
        scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
        cursor: { y: false, points: { show: false } },
        axes: [
          { ...axis, size: 22, values: (_, ticks) => ticks.map((t) => number(t)) },
          { ...axis, size: 52, values: (_, ticks) => ticks.map((t) => number(t, 2)) },
        ],
        series: [{}, ...series],
        hooks: { draw: [() => move()] }, // places are known when it is drawn
      },
      [[...times].map((time) => time - start), ...curves.flatMap(({ max, rms }) => [[...max], [...rms]])],
      box,
    );
    box.append(legendOf(methods));
    plot.over.append(cursor);
    plot.over.addEventListener("click", (event) => {
      const time = start + plot!.posToVal(event.offsetX, "x");
      store.change({ time: Math.min(Math.max(time, start), times.at(-1)!), playing: false });
    });
  };
  const move = () => {
    if (plot) cursor.style.left = `${plot.valToPos(store.state.time - start, "x")}px`;
  };
  store.subscribe((changed) => {
    if (changed.has("time")) move();
    if (["activity", "methods", "theme"].some((key) => changed.has(key as never))) queueMicrotask(draw);
  });
  app.on("curves", draw);
  app.on("file", draw);
  new ResizeObserver(() => plot && plot.setSize(sizeOf(box))).observe(box);
  draw();
}
