import type { App } from "../app.js";
import { runVerb, make, currentRun, onRun } from "../make.js";
import { own } from "../state/scope.js";
import { commandRow } from "./command.js";
import { button } from "./controls.js";
import { h, number, section } from "./dom.js";

/** What `pelt check` reports of one place. */
export interface Finding {
  kind: string;
  severity: "fault" | "warning" | "note";
  joint: string | null;
  moment: { clip: string; time: number } | null;
  says: string;
}

interface Checked {
  file: unknown;
  score: number;
  findings: Finding[];
}

let last: Checked | null = null;

/** What is wrong with the skin, each with its place and a repair. */
export function checkPanel(app: App): HTMLElement[] {
  const box = h("div", {}),
    run = button("Check", () => void check(app, draw), "primary");
  const draw = () => {
    run.disabled = currentRun() !== null;
    const known = last?.file === app.file ? last : null;
    if (!known) return void box.replaceChildren(h("p", { class: "muted" }, "Is this character's skin any good?"));
    box.replaceChildren(
      h("p", { class: "file-line" }, h("strong", {}, `Score ${number(known.score)}`), h("small", {}, "of 100")),
      ...(known.findings.length === 0 ? [h("p", { class: "muted" }, "Nothing found.")] : []),
      ...known.findings.map((finding) => row(app, finding)),
    );
  };
  own(onRun(draw));
  draw();
  return [
    section("Check", run, box),
    section(
      "As a command",
      commandRow(app, () => `pelt check ${app.file?.name ?? "character.glb"}`),
    ),
  ];
}

async function check(app: App, draw: () => void): Promise<void> {
  const file = app.file;
  try {
    const { report } = await make(app, "check", {});
    last = { file, score: report.score, findings: report.findings };
  } catch (error) {
    app.tell(String((error as Error).message));
  }
  draw();
}

function row(app: App, finding: Finding): HTMLElement {
  const mendable = finding.severity === "fault" && !["limits", "structure", "unused"].includes(finding.kind);
  return h(
    "div",
    { class: "finding" },
    h(
      "button",
      { type: "button", class: "link", title: "Show the place and the moment", onclick: () => void fly(app, finding) },
      h("strong", {}, `${finding.severity}: ${finding.kind}`),
      h("span", {}, ` ${finding.says}`),
    ),
    mendable && button("Fix", () => void fix(app, finding)),
  );
}

/** The moment of a finding, with its joint picked and the figure in view. */
export async function fly(app: App, { joint, moment }: Finding): Promise<void> {
  app.store.change({ joint, playing: false, ...(moment ? { clip: moment.clip, time: moment.time } : {}) });
  await app.settled();
  app.views.stage.frame(app.boxShown(), false);
}

/** Repairs findings of that kind; Compare then shows the skin before and after. */
async function fix(app: App, finding: Finding): Promise<void> {
  await runVerb(app, "fix", { only: [finding.kind] });
  if (!app.result?.comparable) return;
  await fly(app, finding);
  app.store.change({ activity: "compare", methods: ["lbs", "result"], layout: "views" });
}
