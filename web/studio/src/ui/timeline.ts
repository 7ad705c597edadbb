import type { App } from "../app.js";
import { h, icon } from "./dom.js";

/** Play, clip, time. Space plays; the arrows step a frame. */
export function buildTimeline(host: HTMLElement, app: App): void {
  const { store } = app;
  const play = h("button", { type: "button", class: "play", onclick: () => togglePlay(app) });
  const clips = h("select", { "aria-label": "Clip", onchange: () => chooseClip(app, clips.value) });
  const scrub = h("input", {
    type: "range",
    class: "scrub",
    "aria-label": "Time",
    step: "any",
    oninput: () => store.change({ time: Number(scrub.value), playing: false }),
  });
  const marks = h("div", { class: "marks", "aria-hidden": "true" });
  const clock = h("output", { class: "clock", "aria-label": "Seconds" });
  host.append(h("div", { class: "timeline" }, play, clips, h("div", { class: "track" }, marks, scrub), clock));

  const update = () => {
    const { playing, time, clip, activity, keys } = store.state,
      [start, end] = app.range;
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", playing ? "Pause (Space)" : "Play (Space)");
    play.disabled = scrub.disabled = end <= start;
    scrub.min = String(start);
    scrub.max = String(end);
    scrub.value = String(time);
    scrub.setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
    clock.textContent = `${(time - start).toFixed(2)} / ${(end - start).toFixed(2)} s`;
    clips.value = clip ?? "";
    clips.disabled = activity === "pose";
    marks.replaceChildren(
      ...(activity !== "pose"
        ? []
        : keys.map((key) => h("i", { style: `left: ${(100 * (key.time - start)) / Math.max(end - start, 1e-9)}%` }))),
    );
  };
  const fill = () => {
    const { loaded } = app;
    const named = (loaded?.clips ?? []).map(({ name }, i) => h("option", { value: name }, name || `clip ${i}`));
    const range = loaded && loaded.joints.length > 0 ? [h("option", { value: "@range" }, "Test motion")] : [];
    clips.replaceChildren(...named, ...range, h("option", { value: "" }, "Rest pose"));
    host.hidden = loaded === null;
    update();
  };
  store.subscribe(update);
  store.subscribe((changed) => {
    const { time } = store.state,
      [start, end] = app.range;
    if (changed.has("clip") && (time < start || time > end)) store.change({ time: start }); // also after an undo
  });
  app.on("file", fill);
  fill();
}

export function togglePlay(app: App): void {
  const { playing, time } = app.store.state,
    [start, end] = app.range;
  if (end <= start) return;
  app.store.change({ playing: !playing, time: !playing && time >= end ? start : time });
}

export function chooseClip(app: App, clip: string): void {
  app.store.change({ clip: clip === "" ? null : clip });
  const [start, end] = app.range;
  app.store.change({ time: start, playing: end > start });
}

/** Moves by frames of 1/30 s and stops there. */
export function stepFrames(app: App, frames: number): void {
  const [start, end] = app.range,
    { time } = app.store.state;
  const at = Math.round((time - start) * 30) + frames;
  app.store.change({ playing: false, time: Math.min(Math.max(start + at / 30, start), end) });
}

/** Plays on: called for each picture with the seconds since the last one. */
export function advance(app: App, seconds: number): void {
  const { playing, time } = app.store.state,
    [start, end] = app.range;
  if (!playing || end <= start) return;
  const next = time + Math.min(seconds, 0.1);
  app.store.change({ time: next > end ? start + ((next - start) % (end - start)) : next });
}
