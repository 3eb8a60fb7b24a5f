// Made by scripts/specialise.ts (`npm run specialise`): change the tables there.
import type { Frame } from "../../interp/index.ts";
import type { Value } from "../../values/index.ts";
import { lessOrEqual } from "../../values/index.ts";
import { type Branching, compareLeft, compareRight, ordered, type Specialised } from "../specialise.ts";

const decide = (x: Value, y: Value, f: Frame): boolean => ordered(lessOrEqual, x, y, f);

export const lessEqual: Specialised = (a, b, site) => {
  if (a.may || b.may) {
    const left = a.run;
    const right = b.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        return typeof y === "number" ? x <= y : compareRight(f, decide, x, y, site);
      }
      return compareLeft(f, decide, x, right, site);
    };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x <= y : ordered(lessOrEqual, x, y, f);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x <= y : ordered(lessOrEqual, x, y, f);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x <= y : ordered(lessOrEqual, x, y, f);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x <= y : ordered(lessOrEqual, x, y, f);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x <= y : ordered(lessOrEqual, x, y, f);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x <= y : ordered(lessOrEqual, x, y, f);
  };
};

/** One of two nodes. */
export const lessEqualBranch: Branching = (a, b) => (yes, no) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return (typeof x === "number" ? x <= y : ordered(lessOrEqual, x, y, f))
        ? yes(f)
        : no === undefined
          ? undefined
          : no(f);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return (typeof x === "number" && typeof y === "number" ? x <= y : ordered(lessOrEqual, x, y, f))
        ? yes(f)
        : no === undefined
          ? undefined
          : no(f);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return (typeof x === "number" ? x <= y : ordered(lessOrEqual, x, y, f))
        ? yes(f)
        : no === undefined
          ? undefined
          : no(f);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return (typeof x === "number" && typeof y === "number" ? x <= y : ordered(lessOrEqual, x, y, f))
      ? yes(f)
      : no === undefined
        ? undefined
        : no(f);
  };
};
