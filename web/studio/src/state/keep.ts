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
    const kept = await request<Kept | undefined>(this.store("tabs").get(this.tab));
    if (!kept || kept.address !== this.address) return null;
    const file = kept.file ? await request<KeptFile | undefined>(this.store("files").get(kept.file)) : undefined;
    this.file = file ? kept.file : null;
    return { file: file ?? null, settings: kept.settings };
  }

  async saveFile(file: KeptFile, settings: Settings): Promise<void> {
    const former = this.file;
    this.file = `${this.tab}/${crypto.randomUUID()}`;
    await request(this.store("files", "readwrite").put(file, this.file));
    this.waiting = settings;
    await this.flush();
    if (former) await request(this.store("files", "readwrite").delete(former));
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
    const kept: Kept = {
      tab: this.tab,
      address: this.address,
      saved: Date.now(),
      file: this.file,
      settings: this.waiting,
    };
    this.waiting = null;
    await request(this.store("tabs", "readwrite").put(kept));
  }

  private store(name: string, mode: IDBTransactionMode = "readonly"): IDBObjectStore {
    return this.database.transaction(name, mode).objectStore(name);
  }
}

function request<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

function openDatabase(): Promise<IDBDatabase> {
  const asked = indexedDB.open("pelt-studio", 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore("tabs", { keyPath: "tab" });
    asked.result.createObjectStore("files");
  };
  return request(asked);
}

/** Holds a lock as long as this page lives; false if another page holds it. */
function hold(tab: string): Promise<boolean> {
  return new Promise((resolve) => {
    void navigator.locks.request(`pelt-studio/${tab}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise(() => undefined) : undefined;
    });
  });
}

async function chooseTab(database: IDBDatabase, address: string): Promise<string> {
  const own = sessionStorage.getItem(`pelt-tab ${address}`);
  const choose = (tab: string): string => {
    sessionStorage.setItem(`pelt-tab ${address}`, tab);
    return tab;
  };
  if (own && (await hold(own))) return own; // a reload; not a duplicated tab, whose original holds the lock
  const all = await request<Kept[]>(database.transaction("tabs").objectStore("tabs").getAll());
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
