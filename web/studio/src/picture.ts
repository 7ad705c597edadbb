import type { App } from "./app.js";

/** What is shown now, as a PNG. */
export function picture(app: App): Uint8Array {
  const { stage } = app.views;
  stage.drawNow();
  const text = atob(stage.canvas.toDataURL("image/png").split(",")[1]);
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Records the clip once, from its first moment to its last, or a turn of the camera where nothing moves. */
export async function record(app: App): Promise<Blob> {
  const { stage } = app.views,
    stream = stage.canvas.captureStream(30),
    parts: Blob[] = [];
  const type = ["video/webm;codecs=vp9", "video/webm"].find((name) => MediaRecorder.isTypeSupported(name));
  if (!type) throw new Error("this browser cannot record WebM; use Chromium or Firefox");
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12e6 });
  recorder.ondataavailable = (event) => parts.push(event.data);
  const [start, end] = app.range,
    still = end <= start;
  recorder.start();
  if (still) await turntable(app);
  else await playOnce(app, start, end);
  await new Promise((resolve) => {
    recorder.onstop = resolve;
    recorder.stop();
  });
  return new Blob(parts, { type: "video/webm" });
}

async function playOnce(app: App, start: number, end: number): Promise<void> {
  app.store.change({ time: start, playing: false });
  const began = performance.now();
  for (let t = start; t < end; t = start + (performance.now() - began) / 1000) {
    app.store.change({ time: t });
    await new Promise(requestAnimationFrame);
  }
  app.store.change({ time: end });
}

async function turntable(app: App): Promise<void> {
  const { stage } = app.views,
    seconds = 6,
    began = performance.now();
  const from = stage.camera.position.clone().sub(stage.controls.target);
  for (let t = 0; t < seconds; t = (performance.now() - began) / 1000) {
    const angle = (2 * Math.PI * t) / seconds,
      turned = from.clone();
    turned.x = from.x * Math.cos(angle) + from.z * Math.sin(angle);
    turned.z = from.z * Math.cos(angle) - from.x * Math.sin(angle);
    stage.camera.position.copy(stage.controls.target).add(turned);
    stage.controls.update();
    stage.invalidate();
    await new Promise(requestAnimationFrame);
  }
  stage.camera.position.copy(stage.controls.target).add(from);
  stage.controls.update();
}
