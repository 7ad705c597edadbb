import { own } from "./scope.js";
import { type Settings, transient } from "./settings.js";

type Key = keyof Settings;
type Listener = (changed: ReadonlySet<Key>) => void;

interface Step {
  before: Partial<Settings>;
  after: Partial<Settings>;
  /** Steps of one gesture, such as a dragged slider, are undone together. */
  gesture: string;
  at: number;
}

const deepest = 100;
/** Changes of one control that follow each other this fast are one step. */
const gestureMs = 800;

/** The settings, their observers, and what undo needs. */
export class Store {
  private done: Step[] = [];
  private undone: Step[] = [];
  private readonly listeners = new Set<Listener>();
  /** What is being held: a slider, a handle, a brush. */
  private held = "";
  private presses = 0;

  constructor(private settings: Settings) {}

  get state(): Readonly<Settings> {
    return this.settings;
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return own(() => this.listeners.delete(listener));
  }

  /** Changes settings. Steps with the same `gesture` in quick succession are one for undo. */
  change(patch: Partial<Settings>, gesture = ""): void {
    const keys = (Object.keys(patch) as Key[]).filter((key) => !same(this.settings[key], patch[key]));
    if (keys.length === 0) return;
    const lasting = keys.filter((key) => !transient.includes(key));
    if (lasting.length > 0) this.remember(pick(this.settings, lasting), pick(patch as Settings, lasting), gesture);
    this.apply(pick(patch as Settings, keys));
  }

  /** From a press to its release, all changes are one step, however long that takes. */
  hold(): void {
    this.held = `press ${++this.presses}`;
  }

  release(): void {
    if (this.held) this.endGesture();
    this.held = "";
  }

  undo(): void {
    const step = this.done.pop();
    if (!step) return;
    this.undone.push(step);
    this.endGesture();
    this.apply(step.before);
  }

  redo(): void {
    const step = this.undone.pop();
    if (!step) return;
    this.done.push(step);
    this.endGesture();
    this.apply(step.after);
  }

  /** What comes next is a step of its own, however soon it comes. */
  private endGesture(): void {
    const last = this.done.at(-1);
    if (last) last.at = -Infinity;
  }

  /** Another file: its settings, and nothing to undo. */
  reset(settings: Settings): void {
    this.done = [];
    this.undone = [];
    this.apply(settings);
  }

  private remember(before: Partial<Settings>, after: Partial<Settings>, given: string): void {
    const gesture = this.held || given,
      last = this.done.at(-1),
      now = performance.now();
    this.undone = [];
    if (gesture && last && last.gesture === gesture && (this.held || now - last.at < gestureMs)) {
      last.after = { ...last.after, ...after };
      last.before = { ...before, ...last.before };
      last.at = now;
      return;
    }
    this.done.push({ before, after, gesture, at: now });
    if (this.done.length > deepest) this.done.shift();
  }

  private apply(patch: Partial<Settings>): void {
    this.settings = { ...this.settings, ...patch };
    const changed = new Set(Object.keys(patch) as Key[]);
    for (const listener of [...this.listeners]) listener(changed);
  }
}

function pick(from: Settings, keys: Key[]): Partial<Settings> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Partial<Settings>;
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => same((a as any)[key], (b as any)[key]));
}
