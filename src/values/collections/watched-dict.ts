/**
 * A dict that notices when it is looked at: when one of some keys is read, or when it is used whole (shown, written as JSON,
 * merged, iterated, compared). For results of the runtime that nobody should overlook.
 *
 * It has a table instead of a shape, so that every read comes through its methods: property reads cache shapes only.
 */

import type { Value } from "../value.ts";
import { Dict } from "./dict.ts";

export class WatchedDict extends Dict {
  private readonly watchedKeys: ReadonlySet<string>;
  private seen: (() => void) | null;

  /** `telling`: reading one of these is looking at it. `seen` is called once. */
  constructor(dict: Dict, watchedKeys: ReadonlySet<string>, seen: () => void) {
    super(dict.toMap());
    this.watchedKeys = watchedKeys;
    this.seen = seen;
  }

  override get size(): number {
    this.look();
    return super.size;
  }

  override get(key: string): Value | undefined {
    if (this.watchedKeys.has(key)) this.look();
    return super.get(key);
  }

  override has(key: string): boolean {
    if (this.watchedKeys.has(key)) this.look();
    return super.has(key);
  }

  override keys(): readonly string[] {
    this.look();
    return super.keys();
  }

  override toMap(): Map<string, Value> {
    this.look();
    return super.toMap();
  }

  override with(key: string, value: Value): Dict {
    this.look();
    return super.with(key, value);
  }

  override without(key: string): Dict {
    this.look();
    return super.without(key);
  }

  private look(): void {
    const { seen } = this;
    // Called by the constructor's own chain before there is anything to tell.
    if (seen === null || seen === undefined) return;
    this.seen = null;
    seen();
  }
}
