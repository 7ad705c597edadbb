import type { App } from "./app.js";
import { mapNames } from "./state/settings.js";
import { mushOptions } from "./specs.js";

const quoted = (text: string) => (/^[\w./@=:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Options as the program's flags. */
export function flags(options: Record<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === null || value === undefined || value === false) return [];
    if (value === true) return [flag];
    return (Array.isArray(value) ? value : [value]).flatMap((one) => [flag, quoted(String(one))]);
  });
}

const stemOf = (name: string) => name.replace(/\.[^.]*$/, "");
const baseOf = (app: App) => (app.file?.name ?? "hero.glb").replace(/\.[^.]*$/, "");
export const inputName = (app: App) => {
  const painted = mapNames.some((map) => app.store.state.maps[map] !== app.fileMaps[map]);
  return painted ? `${baseOf(app)}_maps.glb` : `${baseOf(app)}.glb`;
};

export const outputName = (app: App, verb: string) =>
  `${verb === "decompose" ? stemOf(app.sequence?.name ?? "sequence") : baseOf(app)}_${past[verb]}.glb`;
const past: Record<string, string> = {
  mush: "mushed",
  bind: "bound",
  bake: "baked",
  fit: "fitted",
  decompose: "bones",
  pose: "posed",
};

/** The command that does what a button does. */
export function commandOf(app: App, verb: string, options: Record<string, unknown>): string {
  const words = ["pelt", verb];
  if (verb === "decompose") words.push(quoted(app.sequence?.name ?? "sequence.npy"));
  else words.push(quoted(inputName(app)));
  if (verb === "fit") words.push(quoted(app.sequence?.name ?? "examples.npy"));
  words.push(...flags(options), "-o", quoted(outputName(app, verb)));
  return words.join(" ");
}

export function poseCommand(app: App): string {
  const { limits, ...others } = app.pose.options(),
    words = flags({ ...others, ...(limits ? { limits: "limits.json" } : {}) });
  return ["pelt pose", quoted(inputName(app)), "--handles handles.json", ...words, "-o", quoted(outputName(app, "pose"))].join(
    " ",
  );
}

/** The settings of Tune as options of a verb. */
export function tunedOptions(app: App): Record<string, unknown> {
  return mushOptions(app.store.state);
}

/** What `pelt` needs to show the same as the page. */
export function sceneCommands(app: App): string[] {
  const { methods, clip } = app.store.state,
    name = quoted(inputName(app));
  const at = clip === null ? ["--bind-pose"] : ["--clip", quoted(clip)];
  const mush = flags(tunedOptions(app));
  return [
    ["pelt mush", name, ...mush, "-o", quoted(outputName(app, "mush"))].join(" "),
    ...methods
      .filter((method) => method !== "result")
      .map((method) => {
        const own = method.includes("dm") ? mush : [];
        return ["pelt deform", name, "--method", method, ...at, ...own, "-o", `${baseOf(app)}_${method}.npy`].join(" ");
      }),
  ];
}

