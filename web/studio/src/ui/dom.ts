type Attributes = Record<string, unknown>;
type Child = Node | string | null | undefined | false;

/** An element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "value") (element as unknown as HTMLInputElement).value = String(value);
    else if (name === "checked") (element as unknown as HTMLInputElement).checked = Boolean(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

const paths: Record<string, string> = {
  play: "M7 5v14l11-7z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  undo: "M9 7H15a5 5 0 0 1 0 10H8M9 7l3.2-3.2M9 7l3.2 3.2",
  redo: "M15 7H9a5 5 0 0 0 0 10h7M15 7l-3.2-3.2M15 7l-3.2 3.2",
  camera: "M4 8h3.5L9 6h6l1.500 2H20v10H4zM12 10a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  film: "M4 6h11v12H4zM15 10.500l5-3v9l-5-3",
  turn: "M20 12c0 2.200-3.600 4-8 4s-8-1.800-8-4 3.600-4 8-4c2 0 3.900.4 5.300 1M17.500 5.500v3.700h-3.700",
  moon: "M19 14.500A7.500 7.500 0 0 1 9.500 5a7.500 7.500 0 1 0 9.500 9.500z",
  sun:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21" +
    "M5.600 5.600l1 1M17.400 17.400l1 1M5.600 18.400l1-1M17.400 6.600l1-1",
  open: "M4 18V6h5l2 2h9v10z",
  close: "M6.500 6.500l11 11M17.500 6.500l-11 11",
  key: "M12 5l6 7-6 7-6-7z",
  pin: "M12 20v-6M8 4h8l-1.500 5 2.500 3v2H7v-2l2.500-3z",
  mirror: "M12 4v16M9 8l-4 4 4 4M15 8l4 4-4 4",
  help: "M9.500 9.500a2.500 2.500 0 1 1 3.600 2.250c-.8.4-1.100.9-1.100 1.750M12 17v.2",
  copy: "M8 8h10v11H8zM8 15H5V5h10v3",
};
const filled = ["play", "pause", "key"];

/** A drawn symbol; the control around it has the name. */
export function icon(name: keyof typeof paths): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", filled.includes(name) ? "icon filled" : "icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: keyof typeof paths, label: string, onclick: () => void): HTMLButtonElement {
  return h("button", { class: "icon-button", type: "button", "aria-label": label, title: label, onclick }, icon(name));
}

/** A part of a panel with a heading. */
export function section(title: string, ...children: Child[]): HTMLElement {
  const id = `section-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

/** Fills a container anew; the control that had the focus is found again by its name. */
export function refill(host: HTMLElement, ...children: Child[]): void {
  const focused = host.contains(document.activeElement) ? document.activeElement!.getAttribute("aria-label") : null;
  host.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
  if (focused) host.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

export function download(bytes: Uint8Array | Blob, name: string): void {
  const blob = bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer>]);
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A number as people read it: few digits, no noise. */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
}

export const count = (value: number) => value.toLocaleString("en-US");
