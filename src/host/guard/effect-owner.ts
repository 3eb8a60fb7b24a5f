/** Whose effect touches the machine right now, for rules that hold for some tasks only. */

import type { Task } from "../../interp/index.ts";
import { currentOwner } from "./owner.ts";

export interface EffectOwner {
  readonly task: Task;
  readonly kind: string;
}

/** `undefined` for what the runtime does on its own account. */
export const effectOwner = (): EffectOwner | undefined => currentOwner() as EffectOwner | undefined;
