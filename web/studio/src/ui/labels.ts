import { Vector3 } from "three";
import type { App } from "../app.js";
import { poseTools } from "../pose/tools.js";
import { h, number } from "./dom.js";
import { methodChoices } from "./panel_compare.js";

/** What lies over the views: the method of each, the divider, the names of joints. */
export function buildLabels(host: HTMLElement, app: App): () => void {
  const { store, views } = app;
  const layer = h("div", { class: "labels" }),
    names = h("canvas", { class: "names", "aria-hidden": "true" });
  const divider = buildDivider(app);
  const outline = h("output", { class: "outline-note", "aria-label": "Difference of the outlines" });
  host.append(names, layer, divider, outline);
  divider.hidden = outline.hidden = true;
  let shown = "";

  const fill = () => {
    const { methods } = store.state;
    layer.replaceChildren(
      ...edges(app),
      ...views.stage.panes.map((_, i) => {
        const select = h(
          "select",
          {
            "aria-label": `Method of view ${i + 1}, in the view`,
            onchange: () => store.change({ methods: methods.map((old, m) => (m === i ? select.value : old)) }),
          },
          ...methodChoices(app).map(([value, text]) => h("option", { value }, text)),
        );
        select.value = methods[i];
        return h(
          "div",
          { class: "label" },
          h("span", { class: "badge" }, String(i + 1)),
          select,
          h("span", { class: "stat" }),
        );
      }),
    );
  };
  views.onChange = () => {
    const { methods, layout, activity } = store.state;
    const key = JSON.stringify([methods, layout, views.areas, app.result?.comparable]);
    if (key !== shown) fill();
    shown = key;
    [...layer.querySelectorAll<HTMLElement>(".label")].forEach((label, i) => place(label, app, i));
    divider.hidden = layout !== "divider" || methods.length < 2 || !app.model;
    divider.style.left = `${store.state.divider * views.stage.width}px`;
    divider.setAttribute("aria-valuenow", String(Math.round(100 * store.state.divider)));
    outline.hidden = !views.stage.outlines;
    layer.classList.toggle("quiet", activity !== "compare" && methods.length < 2);
    layer.classList.toggle("outlines", views.stage.outlines);
  };
  return () => {
    drawNames(names, app);
    if (!outline.hidden)
      outline.textContent = `${(100 * views.stage.silhouettes.difference).toFixed(2)} % of the outline differs`;
  };
}

/** The lines between views that stand side by side or one above the other. */
function edges(app: App): HTMLElement[] {
  return app.views.areas.flatMap(({ x, y, width, height }) => [
    ...(x > 0 ? [h("i", { class: "edge", style: `left: ${x}px; top: ${y}px; width: 1px; height: ${height}px` })] : []),
    ...(y > 0 ? [h("i", { class: "edge", style: `left: ${x}px; top: ${y}px; width: ${width}px; height: 1px` })] : []),
  ]);
}

function place(label: HTMLElement, app: App, i: number): void {
  const { stage, views } = app.views,
    { clip } = stage.panes[i],
    view = views[i];
  const right = app.store.state.layout !== "views" && i === 1 && stage.panes.length > 1;
  label.style.top = `${clip.y + 10}px`;
  label.style.left = right ? "" : `${clip.x + 10}px`;
  label.style.right = right ? "10px" : "";
  const stat = label.querySelector(".stat")!;
  stat.textContent =
    view?.error ??
    (app.views.preparing ? "preparing…" : i > 0 ? `RMS ${number(view.rms)} · max ${number(view.max)}` : "");
  stat.classList.toggle("error", Boolean(view?.error));
}

/** The line between two views of one picture: dragged, or moved by the arrow keys. */
function buildDivider(app: App): HTMLElement {
  const { store, views } = app;
  const divider = h("div", {
    class: "divider",
    role: "slider",
    tabindex: "0",
    "aria-label": "Divider",
    "aria-orientation": "horizontal",
    "aria-valuemin": "0",
    "aria-valuemax": "100",
  });
  const move = (at: number) => store.change({ divider: Math.min(0.98, Math.max(0.02, at)) });
  divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener("pointermove", (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    move((event.clientX - views.stage.canvas.getBoundingClientRect().left) / views.stage.width);
  });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    move(store.state.divider + step);
  });
  return divider;
}

function drawNames(canvas: HTMLCanvasElement, app: App): void {
  const { stage, skeleton } = app.views,
    { names, skeleton: shown, joint, activity } = app.store.state;
  const drawing = poseTools.sketch !== null || poseTools.painted !== null,
    posing = activity === "pose" && (app.store.state.handles.length > 0 || drawing);
  const named = (names || joint !== null) && (shown || activity === "pose");
  const visible = app.loaded !== null && skeleton !== null && (named || posing);
  if (!visible && canvas.width === 1) return;
  const ratio = Math.min(devicePixelRatio, 2);
  canvas.width = visible ? stage.width * ratio : 1;
  canvas.height = visible ? stage.height * ratio : 1;
  if (!visible) return;
  const pen = canvas.getContext("2d")!,
    style = getComputedStyle(canvas);
  pen.scale(ratio, ratio);
  pen.font = "11px system-ui, sans-serif";
  pen.lineWidth = 3;
  if (posing) drawHandles(pen, app, style.getPropertyValue("--accent"));
  pen.strokeStyle = style.getPropertyValue("--stage");
  pen.fillStyle = style.getPropertyValue("--text");
  if (!named) return;
  const listed = app.loaded!.joints.map(({ name }, j) => ({ name, at: skeleton!.at(j) }));
  for (const { area, clip } of stage.panes) {
    const seen = listed.flatMap(({ name, at }) => {
      const { x, y, z } = stage.project(at, area),
        inside = x >= clip.x && x <= clip.x + clip.width && y >= clip.y && y <= clip.y + clip.height;
      return (names || name === joint) && z <= 1 && inside ? [{ name, x, y, z }] : [];
    });
    writeApart(pen, seen, joint);
  }
}

/** Names that can be read: the chosen joint's first, then the nearest; what would lie over another one is left out. */
function writeApart(
  pen: CanvasRenderingContext2D,
  names: { name: string; x: number; y: number; z: number }[],
  chosen: string | null,
): void {
  const taken: [number, number, number][] = [];
  const rank = (one: { name: string; z: number }) => (one.name === chosen ? -2 : one.z);
  for (const { name, x, y } of names.sort((a, b) => rank(a) - rank(b))) {
    const end = x + 9 + pen.measureText(name).width;
    if (taken.some(([left, right, row]) => x < right && end > left && Math.abs(row - y) < 12)) continue;
    taken.push([x, end, y]);
    pen.strokeText(name, x + 7, y + 4);
    pen.fillText(name, x + 7, y + 4);
  }
}

/** The outline, the segment or the region that is being drawn. */
function drawSketch(pen: CanvasRenderingContext2D, app: App): void {
  const { sketch, painted } = poseTools,
    { stage, views, areas } = app.views;
  if (sketch) {
    pen.beginPath();
    for (const { x, y } of sketch.points) pen.lineTo(x, y);
    pen.lineWidth = 1.5;
    pen.stroke();
  }
  const positions = views[0]?.surface.positions;
  for (const v of positions ? (painted ?? []) : []) {
    const { x, y } = stage.project(new Vector3().fromArray(positions, 3 * v), areas[0]);
    pen.fillRect(x - 1, y - 1, 2, 2);
  }
}

type Point = { x: number; y: number };

function drawSegment(pen: CanvasRenderingContext2D, from: Point, to: Point, accent: string): void {
  for (const [color, width] of [
    ["#ffffff", 6],
    [accent, 3],
  ] as const) {
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.arc(to.x, to.y, 2, 0, 2 * Math.PI);
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
  }
  pen.strokeStyle = "#ffffff";
}

function write(pen: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  const [fill, stroke] = [pen.fillStyle, pen.strokeStyle],
    style = getComputedStyle(pen.canvas);
  pen.lineWidth = 3;
  pen.strokeStyle = style.getPropertyValue("--stage");
  pen.strokeText(text, x, y);
  pen.fillStyle = style.getPropertyValue("--text");
  pen.fillText(text, x, y);
  [pen.fillStyle, pen.strokeStyle] = [fill, stroke];
}

/** Handles that are pulled as discs, those that are held as squares. */
function drawHandles(pen: CanvasRenderingContext2D, app: App, accent: string): void {
  const { stage } = app.views;
  pen.fillStyle = accent;
  pen.strokeStyle = "#ffffff";
  drawSketch(pen, app);
  for (const handle of app.store.state.handles) {
    const at = app.pose.placeOf(handle),
      ends = app.pose.endsOf(handle);
    for (const { area } of at ? stage.panes : []) {
      const { x, y } = stage.project(at!, area);
      if (ends) drawSegment(pen, { x, y }, stage.project(ends[1], area), accent);
      if (handle.name) write(pen, handle.name, x + 9, y - 7);
      pen.beginPath();
      if (handle.pinned) pen.rect(x - 5, y - 5, 10, 10);
      else pen.arc(x, y, 6, 0, 2 * Math.PI);
      pen.lineWidth = 2;
      pen.stroke();
      pen.fill();
    }
  }
  pen.lineWidth = 3;
}
