import type { Settings } from "./settings.js";

/** A file as it was opened. */
export interface KeptFile {
  name: string;
  bytes: Uint8Array;
}

/** What a tab had open. Files are kept apart: they are large and rarely change. */
interface Kept {
  tab: string;
  address: string;
  saved: number;
  file: string | null;
  settings: Settings;
}

const daysKept = 30;

/**
 * Keeps a tab's file and settings in the browser. Each tab has a record of its own, so that two tabs never write into
 * each other's; a new tab takes over the latest record of its address that no open tab holds.
 */
export class Keeper {
  private timer = 0;
  private waiting: Settings | null = null;
  private file: string | null = null;

  private constructor(
    private readonly database: IDBDatabase,
    private readonly tab: string,
    private readonly address: string,
  ) {}

  static async open(): Promise<Keeper> {
    const address = location.pathname + location.search;
    const database = await openDatabase();
    const keeper = new Keeper(database, await chooseTab(database, address), address);
    document.addEventListener("visibilitychange", () => void keeper.flush());
    addEventListener("pagehide", () => void keeper.flush());
    return keeper;
  }

  async restore(): Promise<{ file: KeptFile | null; settings: Settings } | null> {
    const kept = await finished<Kept | undefined>(this.store("tabs").get(this.tab));
    if (!kept || kept.address !== this.address) return null;
    const file = kept.file ? await finished<KeptFile | undefined>(this.store("files").get(kept.file)) : undefined;
    this.file = file ? kept.file : null;
    return { file: file ?? null, settings: kept.settings };
  }

  /** The file and its settings in one transaction: whenever a tab dies, it has both of one file or both of the other. */
  async saveFile(file: KeptFile, settings: Settings): Promise<void> {
    const former = this.file,
      change = this.database.transaction(["files", "tabs"], "readwrite");
    this.file = `${this.tab}/${crypto.randomUUID()}`;
    this.waiting = null;
    change.objectStore("files").put(file, this.file);
    change.objectStore("tabs").put(this.recordOf(settings));
    if (former) change.objectStore("files").delete(former);
    try {
      await completed(change);
    } catch (error) {
      this.file = null; // a reload begins without a file rather than with the former one
      this.saveSettings(settings);
      if (former) void finished(this.store("files", "readwrite").delete(former));
      throw error;
    }
  }

  /** Soon, and once for many changes. */
  saveSettings(settings: Settings): void {
    this.waiting = settings;
    if (this.timer === 0) this.timer = window.setTimeout(() => void this.flush(), 150);
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.waiting) return;
    const kept = this.recordOf(this.waiting);
    this.waiting = null;
    await finished(this.store("tabs", "readwrite").put(kept));
  }

  private recordOf(settings: Settings): Kept {
    return { tab: this.tab, address: this.address, saved: Date.now(), file: this.file, settings };
  }

  private store(name: string, mode: IDBTransactionMode = "readonly"): IDBObjectStore {
    return this.database.transaction(name, mode).objectStore(name);
  }
}

function finished<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open("pelt-studio", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("tabs", { keyPath: "tab" });
    request.result.createObjectStore("files");
  };
  return finished(request);
}

/** Holds a lock as long as this page lives; false if another page holds it, and does not end within `wait` ms. */
function hold(tab: string, wait = 0): Promise<boolean> {
  const how: LockOptions = wait > 0 ? { signal: AbortSignal.timeout(wait) } : { ifAvailable: true };
  return new Promise((resolve) => {
    navigator.locks
      .request(`pelt-studio/${tab}`, how, (lock) => {
        resolve(lock !== null);
        return lock ? new Promise(() => undefined) : undefined;
      })
      .catch(() => resolve(false)); // the time is over
  });
}

/** Whether this page follows itself: its former self may still be ending, and hold the lock. */
function reloaded(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry?.type === "reload";
}

async function chooseTab(database: IDBDatabase, address: string): Promise<string> {
  const own = sessionStorage.getItem(`pelt-tab ${address}`);
  const choose = (tab: string): string => {
    sessionStorage.setItem(`pelt-tab ${address}`, tab);
    return tab;
  };
  if (own && (await hold(own, reloaded() ? 10_000 : 0))) return own; // a duplicated tab's original holds the lock
  const all = await finished<Kept[]>(database.transaction("tabs").objectStore("tabs").getAll());
  const old = all.filter((kept) => Date.now() - kept.saved > daysKept * 86_400_000);
  await forget(database, old);
  const here = all.filter((kept) => kept.address === address && !old.includes(kept)).sort((a, b) => b.saved - a.saved);
  for (const kept of here) if (await hold(kept.tab)) return choose(kept.tab);
  const fresh = crypto.randomUUID();
  await hold(fresh);
  return choose(fresh);
}

async function forget(database: IDBDatabase, old: Kept[]): Promise<void> {
  const change = database.transaction(["tabs", "files"], "readwrite");
  for (const kept of old) {
    change.objectStore("tabs").delete(kept.tab);
    if (kept.file) change.objectStore("files").delete(kept.file);
  }
}
