/** What other processes and connections write into a store, looked for by those here who wait for it. */
import type { Store } from "../store.ts";
import { StoreError } from "../store-error.ts";

/** How long it may stay unnoticed when nobody tells of it; milliseconds. */
const lookEveryMs = 100;

/** What could not be looked at; told once for as long as it stays so. */
type Trouble = (problem: unknown) => void;

/** No process lives for its sake. */
export class StoreWatch {
  /** A store, whose owner closes it; or what opens one, which is closed when nobody looks any more. */
  private readonly place: Store | (() => Store | undefined);
  private readonly trouble: Trouble | undefined;
  private readonly looks = new Set<(store: Store) => void>();
  private timer: NodeJS.Timeout | undefined;
  private opened: Store | undefined;
  private version = -1;
  private isTroubled = false;

  /** Without `trouble` a store that others keep busy is looked at again, and what else is thrown is thrown. */
  constructor(place: Store | (() => Store | undefined), trouble?: Trouble) {
    this.place = place;
    this.trouble = trouble;
  }

  /**
   * `look` is called for what is there, and whenever something has been written since; what is given ends it. Added once more, it is
   * called for what is there again.
   */
  add(look: (store: Store) => void): () => void {
    this.looks.add(look);
    this.version = -1;
    this.timer ??= setInterval(() => this.look(), lookEveryMs).unref();
    return () => {
      this.looks.delete(look);
      if (this.looks.size === 0) this.end();
    };
  }

  /** At once: somebody says that something was written. What one can't take keeps nothing from the others. */
  look(): void {
    let isSound = true;
    const tried = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        isSound = false;
        if (this.trouble === undefined && !(error instanceof StoreError)) throw error;
        if (!this.isTroubled) this.trouble?.(error);
        this.isTroubled = true;
      }
    };
    tried(() => {
      const store = this.looks.size === 0 ? undefined : this.store();
      const version = store?.othersVersion() ?? -1;
      if (store === undefined || version === this.version) return;
      this.version = version;
      for (const look of this.looks) tried(() => look(store));
      if (!isSound) this.version = -1;
    });
    if (isSound) this.isTroubled = false;
  }

  private store(): Store | undefined {
    if (typeof this.place !== "function") return this.place;
    this.opened ??= this.place();
    return this.opened;
  }

  /** For all. */
  end(): void {
    this.looks.clear();
    clearInterval(this.timer);
    this.timer = undefined;
    this.opened?.close();
    this.opened = undefined;
  }
}
