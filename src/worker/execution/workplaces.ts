/**
 * Which tasks work at a place of their own. Whoever works for such a task (a tool's handler, a child loop) works there, too.
 * The builtins ask through `runtime.workplaceOf`, which is set by the first that has such a place.
 */
import type { StateKey, Task, Workplace } from "../../interp/index.ts";

export class Workplaces {
  private readonly places = new WeakMap<Task, Workplace[]>();

  enter(task: Task, place: Workplace): void {
    task.runtime.workplaceOf ??= (asking) => this.of(asking);
    const stack = this.places.get(task);
    if (stack === undefined) this.places.set(task, [place]);
    else stack.push(place);
  }

  leave(task: Task): void {
    this.places.get(task)?.pop();
  }

  of(task: Task): Workplace | undefined {
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      const place = this.places.get(at)?.at(-1);
      if (place !== undefined) return place;
    }
    return undefined;
  }
}

/** `task.runtime.state(workplaces)` */
export const workplaces: StateKey<Workplaces> = {
  name: "workers.workplaces",
  create: () => new Workplaces(),
};
