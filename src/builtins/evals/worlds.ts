/** The world that the tools of a trial keep; usable outside of trials, so that tests of such tools can. */
import { checkedWorld, withAt, withoutAt, worldAt, worldOf, worldPath } from "../../eval/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Callable, Dict, invoke1, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

/** A path is needed where something is changed: a misspelt variable must not replace the world. */
function needPath(name: string, path: Argument): ReturnType<typeof worldPath> {
  if (typeof path !== "string" || path === "")
    throw runtimeError(
      `${name}: needs a path such as "orders.A17.status"; world_reset replaces the whole world`,
    );
  return worldPath(name, path);
}

const kept = { effect: "state" } as const;

export const worlds = defineBuiltins("evals", {
  world_get: {
    ...kept,
    doc: 'What stands at a path of the world (`orders.A17.status`, `items[0]`, `orders."a.b"`), or the fallback; without a path the whole world. Each trial of an evaluation has a world of its own.',
    sig: '(path: string = "", fallback: any = nil) -> any',
    example: 'world_get("orders.A17", "none")  // none',
    run: (task, path: Argument, fallback: Argument) =>
      worldAt("world_get", worldOf(task.runtime).value, worldPath("world_get", textOf(path))) ??
      fallback ??
      null,
  },
  world_set: {
    ...kept,
    doc: "Puts a value at a path of the world; dicts are made on the way. Gives the value.",
    sig: "(path: string, value: any) -> any",
    example: 'world_set("orders.A17.status", "new")  // new',
    run: (task, path: Argument, value: Argument) => {
      const world = worldOf(task.runtime);
      const put = checkedWorld("world_set", value ?? null);
      world.value = withAt("world_set", world.value, needPath("world_set", path), put);
      return put;
    },
  },
  world_update: {
    ...kept,
    doc: "Replaces what stands at a path of the world by what the function gives for it (nil for nothing). Gives the new value.",
    sig: "(path: string, change: closure) -> any",
    suspends: "callback",
    example: 'world_update("count", { n -> (n ?? 0) + 1 })  // 1',
    run: (task, path: Argument, change: Argument) => {
      const steps = needPath("world_update", path);
      if (!(change instanceof Callable)) throw runtimeError("world_update: needs a function of the value");
      const world = worldOf(task.runtime);
      const before = worldAt("world_update", world.value, steps) ?? null;
      const put = (input: Value): Value => {
        const value = checkedWorld("world_update", input);
        // The function waited, and another task changed the same place: neither change may be lost.
        if ((worldAt("world_update", world.value, steps) ?? null) !== before)
          throw runtimeError(`world_update: ${path} was changed while the function waited`);
        world.value = withAt("world_update", world.value, steps, value);
        return value;
      };
      const made = invoke1(task, change, before);
      return made instanceof Promise ? made.then(put) : put(made);
    },
  },
  world_delete: {
    ...kept,
    doc: "Takes what stands at a path out of the world; true when something did.",
    sig: "(path: string) -> bool",
    example: 'world_delete("orders.A17")  // false',
    run: (task, path: Argument) => {
      const steps = needPath("world_delete", path);
      const world = worldOf(task.runtime);
      if (worldAt("world_delete", world.value, steps) === undefined) return false;
      world.value = withoutAt("world_delete", world.value, steps);
      return true;
    },
  },
  world_reset: {
    ...kept,
    doc: "Replaces the whole world; without a value by an empty dict.",
    sig: "(value: any = {}) -> any",
    example: "world_reset({a: 1})  // {a: 1}",
    run: (task, value: Argument) => {
      const world = worldOf(task.runtime);
      world.value = checkedWorld("world_reset", value ?? new Dict());
      return world.value;
    },
  },
});
