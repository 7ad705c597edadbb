// Films of a clip or of one turn of the camera: each frame is computed, drawn and encoded before the next one begins, so
// that none is missing however slow the machine is.
import { ArrayBufferTarget, Muxer } from "webm-muxer";
import type { App } from "./app.js";

export type Recording = "clip" | "turntable";

const framesPerSecond = 30;
const turnSeconds = 6;
/** Each with its name in WebM; the first that the browser encodes is taken. */
const codecs = [
  ["vp09.00.41.08", "V_VP9"],
  ["vp8", "V_VP8"],
  ["av01.0.08M.08", "V_AV1"],
];

/** Records the clip once, from its first moment to its last, or one turn of the camera. */
export async function record(app: App, what: Recording): Promise<Blob> {
  const { time, playing } = app.store.state,
    film = await Film.begin(app.views.stage.canvas);
  try {
    app.store.change({ playing: false });
    await (what === "clip" ? recordClip(app, film) : recordTurn(app, film, playing));
    return await film.end();
  } finally {
    film.close();
    app.store.change({ time, playing });
  }
}

async function recordClip(app: App, film: Film): Promise<void> {
  const [start, end] = app.range,
    count = Math.max(1, Math.round((end - start) * framesPerSecond));
  for (let frame = 0; frame <= count; ++frame) {
    app.store.change({ time: start + ((end - start) * frame) / count });
    await app.settled();
    await film.add(app);
  }
}

/** The camera goes around the character's upright axis; what plays goes on playing. */
async function recordTurn(app: App, film: Film, playing: boolean): Promise<void> {
  const { stage } = app.views,
    { time } = app.store.state,
    [start, end] = app.range;
  const from = stage.camera.position.clone().sub(stage.controls.target);
  const turn = (angle: number) => {
    const turned = from.clone();
    turned.x = from.x * Math.cos(angle) + from.z * Math.sin(angle);
    turned.z = from.z * Math.cos(angle) - from.x * Math.sin(angle);
    stage.camera.position.copy(stage.controls.target).add(turned);
    stage.controls.update();
    stage.invalidate();
  };
  const count = turnSeconds * framesPerSecond;
  try {
    for (let frame = 0; frame < count; ++frame) {
      const seconds = time - start + frame / framesPerSecond;
      if (playing && end > start) app.store.change({ time: start + (seconds % (end - start)) });
      turn((2 * Math.PI * frame) / count);
      await app.settled();
      await film.add(app);
    }
  } finally {
    turn(0);
  }
}

/** A WebM file that grows by one picture at a time. */
class Film {
  private frames = 0;
  private error: Error | null = null;
  private readonly encoder: VideoEncoder;
  private readonly target = new ArrayBufferTarget();
  private readonly muxer: Muxer<ArrayBufferTarget>;

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    name: string,
    config: VideoEncoderConfig,
  ) {
    const { width, height } = config;
    this.muxer = new Muxer({
      target: this.target,
      video: { codec: name, width, height, frameRate: framesPerSecond },
    });
    this.encoder = new VideoEncoder({
      output: (chunk, about) => this.muxer.addVideoChunk(chunk, about),
      error: (error) => (this.error = error),
    });
    this.encoder.configure(config);
  }

  static async begin(canvas: HTMLCanvasElement): Promise<Film> {
    const { width, height } = canvas;
    if ("VideoEncoder" in globalThis)
      for (const [codec, name] of codecs) {
        const config = { codec, width, height, bitrate: 12e6, framerate: framesPerSecond };
        if ((await VideoEncoder.isConfigSupported(config)).supported) return new Film(canvas, name, config);
      }
    throw new Error("this browser cannot encode films; use a current Chromium or Firefox");
  }

  /** What is shown now is the next picture. */
  async add(app: App): Promise<void> {
    app.views.stage.drawNow();
    const timestamp = Math.round((this.frames * 1e6) / framesPerSecond),
      frame = new VideoFrame(this.canvas, { timestamp, duration: Math.round(1e6 / framesPerSecond) });
    this.encoder.encode(frame, { keyFrame: this.frames++ % 60 === 0 });
    frame.close();
    // The encoder falls behind a quick machine: it is waited for, so that few pictures are held.
    while (this.encoder.encodeQueueSize > 4 && !this.error) await new Promise((done) => setTimeout(done));
    if (this.error) throw this.error;
  }

  async end(): Promise<Blob> {
    await this.encoder.flush();
    if (this.error) throw this.error;
    this.muxer.finalize();
    return new Blob([this.target.buffer], { type: "video/webm" });
  }

  close(): void {
    if (this.encoder.state !== "closed") this.encoder.close();
  }
}
