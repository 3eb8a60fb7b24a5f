/** Where effects are counted. The path is spelled out when somebody needs it: live runs seldom do. */
import type { EffectScope } from "./port.ts";
import type { RandomStream } from "./random.ts";

export class Scope implements EffectScope {
  effects = 0;
  children = 0;
  /** The scope's own stream, once it has drawn. */
  random: RandomStream | undefined = undefined;
  private readonly parent: Scope | undefined;
  private readonly index: number;
  private spelled: string | undefined = undefined;
  /** A seed of its own for it and all below, with the name under which its stream is drawn; else that of its parent. */
  private seeded: { readonly seed: string; readonly name: string } | undefined = undefined;

  constructor(parent: Scope | undefined, index: number) {
    this.parent = parent;
    this.index = index;
  }

  get path(): string {
    this.spelled ??= this.parent === undefined ? String(this.index) : `${this.parent.path}.${this.index}`;
    return this.spelled;
  }

  /** From here on what is random in it and below it depends on `seed` and `name`, not on where it stands. */
  seedAs(seed: string, name: string): void {
    this.seeded = { seed, name };
    this.random = undefined;
  }

  /** Seed and name of its stream; `undefined` under the seed of the run. */
  get stream(): { readonly seed: string; readonly name: string } | undefined {
    if (this.seeded !== undefined) return this.seeded;
    const above = this.parent?.stream;
    return above === undefined ? undefined : { seed: above.seed, name: `${above.name}.${this.index}` };
  }
}
