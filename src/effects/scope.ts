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

  constructor(parent: Scope | undefined, index: number) {
    this.parent = parent;
    this.index = index;
  }

  get path(): string {
    this.spelled ??= this.parent === undefined ? String(this.index) : `${this.parent.path}.${this.index}`;
    return this.spelled;
  }
}
