import type { Settings } from "../state/settings.js";
import type { Store } from "../state/store.js";
import { h } from "./dom.js";

type KeyOf<T> = { [K in keyof Settings]: T extends Settings[K] ? K : never }[keyof Settings];

let lastId = 0;
const freshId = () => `control-${++lastId}`;

/** Keeps a control in step with the settings. */
function follow(store: Store, key: keyof Settings, update: () => void): void {
  update();
  store.subscribe((changed) => changed.has(key) && update());
}

export function checkbox(store: Store, key: KeyOf<boolean>, label: string, shortcut?: string): HTMLElement {
  const input = h("input", {
    type: "checkbox",
    onchange: () => store.change({ [key]: input.checked }),
    "aria-keyshortcuts": shortcut,
  });
  const row = h("label", { class: "check" }, input, h("span", {}, label), shortcut && h("kbd", {}, shortcut));
  follow(store, key, () => (input.checked = Boolean(store.state[key])));
  return row;
}

/** A few choices side by side. */
export function segmented<K extends keyof Settings>(
  store: Store,
  key: K,
  label: string,
  choices: [Settings[K], string][],
): HTMLElement {
  const name = freshId();
  const inputs = choices.map(([value], i) =>
    h("input", {
      type: "radio",
      name,
      id: `${name}-${i}`,
      onchange: () => store.change({ [key]: value }),
    }),
  );
  const group = h(
    "div",
    { class: "segmented", role: "radiogroup", "aria-label": label },
    ...choices.flatMap(([, text], i) => [inputs[i], h("label", { for: `${name}-${i}` }, text)]),
  );
  follow(store, key, () => inputs.forEach((input, i) => (input.checked = store.state[key] === choices[i][0])));
  return group;
}

export function choice<K extends keyof Settings>(
  store: Store,
  key: K,
  label: string,
  choices: [string, string][],
  read: (value: string) => Settings[K],
): HTMLElement {
  const id = freshId();
  const select = h(
    "select",
    { id, onchange: () => store.change({ [key]: read(select.value) }) },
    ...choices.map(([value, text]) => h("option", { value }, text)),
  );
  const row = h("div", { class: "row" }, h("label", { for: id }, label), select);
  follow(store, key, () => (select.value = store.state[key] === null ? "" : String(store.state[key])));
  return row;
}

export interface SliderOptions {
  label: string;
  min: number;
  max: number;
  step?: number;
  /** Equal steps of the slider multiply. */
  logarithmic?: boolean;
  /** Shown while the value is left to Pelt. */
  automatic: number;
  /** Follow while the slider moves, or once it is released. */
  live: boolean;
  hint?: string;
}

/** A number with a slider, a field, and a way back to what Pelt derives itself. */
export function slider(store: Store, key: KeyOf<number> & KeyOf<null>, options: SliderOptions): HTMLElement {
  const id = freshId(),
    { min, max, logarithmic } = options;
  const toSlider = (v: number) =>
    logarithmic ? Math.log(Math.max(v, min) / min) / Math.log(max / min) : (v - min) / (max - min);
  const toValue = (s: number) => {
    const v = logarithmic ? min * (max / min) ** s : min + s * (max - min);
    return options.step ? Math.round(v / options.step) * options.step : Number(v.toPrecision(3));
  };
  const set = (value: number | null) => store.change({ [key]: value }, `slider ${key}`);
  const range = h("input", {
    id,
    type: "range",
    min: 0,
    max: 1,
    step: options.step && !logarithmic ? options.step / (max - min) : 0.002,
    onpointerdown: () => store.hold(),
    onpointerup: () => setTimeout(() => store.release()), // after the change event
    oninput: () => {
      field.value = String(toValue(Number(range.value)));
      if (options.live) set(toValue(Number(range.value)));
    },
    onchange: () => set(toValue(Number(range.value))),
  });
  const field = h("input", {
    type: "number",
    "aria-label": `${options.label}, as a number`,
    min,
    max,
    step: options.step ?? "any",
    onchange: () => {
      const value = Number(field.value);
      if (field.value === "" || !Number.isFinite(value)) return set(null);
      set(Math.min(Math.max(value, logarithmic ? 0 : min), options.step ? max : Infinity));
    },
  });
  const auto = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-label": `${options.label}: auto`,
      title: "Back to what Pelt derives",
      onclick: () => store.change({ [key]: null }),
    },
    "auto",
  );
  const row = h(
    "div",
    { class: "slider", title: options.hint },
    h("label", { for: id }, options.label),
    auto,
    field,
    range,
  );
  follow(store, key, () => {
    const value = store.state[key] as number | null;
    row.classList.toggle("automatic", value === null);
    auto.disabled = value === null;
    field.value = value === null ? "" : String(value);
    field.placeholder = "auto";
    range.value = String(toSlider(value ?? options.automatic));
    range.setAttribute("aria-valuetext", value === null ? "automatic" : String(value));
  });
  return row;
}

export function button(label: string, onclick: () => void, kind = ""): HTMLButtonElement {
  return h("button", { type: "button", class: kind, onclick }, label);
}
