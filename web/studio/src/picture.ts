import type { App } from "./app.js";

/** What is shown now, as a PNG. */
export function picture(app: App): Uint8Array {
  const { stage } = app.views;
  stage.drawNow();
  const text = atob(stage.canvas.toDataURL("image/png").split(",")[1]);
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

export type Recording = "clip" | "turntable";
const turnSeconds = 6;

/** Records the clip once, from its first moment to its last, or one turn of the camera. */
export async function record(app: App, what: Recording): Promise<Blob> {
  const type = ["video/webm;codecs=vp9", "video/webm"].find((name) => MediaRecorder.isTypeSupported(name));
  if (!type) throw new Error("this browser cannot record WebM; use Chromium or Firefox");
  const { stage } = app.views,
    stream = stage.canvas.captureStream(30),
    parts: Blob[] = [];
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12e6 });
  recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  try {
    await (what === "clip" ? playOnce(app) : turnOnce(app));
  } finally {
    recorder.stop();
    await stopped;
    stream.getTracks().forEach((track) => track.stop());
  }
  return new Blob(parts, { type: "video/webm" });
}

async function playOnce(app: App): Promise<void> {
  const { time, playing } = app.store.state,
    [start, end] = app.range,
    began = performance.now();
  app.store.change({ time: start, playing: false });
  for (let t = start; t < end; t = start + (performance.now() - began) / 1000) {
    app.store.change({ time: t });
    await new Promise(requestAnimationFrame);
  }
  app.store.change({ time, playing });
}

/** The camera goes around the character's upright axis; what plays goes on playing. */
async function turnOnce(app: App): Promise<void> {
  const { stage } = app.views,
    began = performance.now();
  const from = stage.camera.position.clone().sub(stage.controls.target);
  const turn = (angle: number) => {
    const turned = from.clone();
    turned.x = from.x * Math.cos(angle) + from.z * Math.sin(angle);
    turned.z = from.z * Math.cos(angle) - from.x * Math.sin(angle);
    stage.camera.position.copy(stage.controls.target).add(turned);
    stage.controls.update();
    stage.invalidate();
  };
  for (let t = 0; t < turnSeconds; t = (performance.now() - began) / 1000) {
    turn((2 * Math.PI * t) / turnSeconds);
    await new Promise(requestAnimationFrame);
  }
  turn(0);
}
