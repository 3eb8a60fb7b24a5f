// Made by scripts/specialise.ts (`npm run specialise`): change the tables there.

import { type Branching, compareLeft, compareRight, type Specialised, same } from "../specialise.ts";

export const equal: Specialised = (a, b, site) => {
  if (a.may || b.may) {
    const left = a.run;
    const right = b.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        return typeof y === "number" ? x === y : compareRight(f, same, x, y, site);
      }
      return compareLeft(f, same, x, right, site);
    };
  }
  if (a.remainder !== undefined && typeof b.constant === "number") {
    const { slot, by } = a.remainder;
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const z = f[slot];
      return typeof z === "number" ? z % by === y : same(left(f), y, f);
    };
  }
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x === y : same(x, y, f);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x === y : same(x, y, f);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x === y : same(x, y, f);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x === y : same(x, y, f);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x === y : same(x, y, f);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x === y : same(x, y, f);
  };
};

/** One of two nodes. */
export const equalBranch: Branching = (a, b) => (yes, no) => {
  if (a.remainder !== undefined && typeof b.constant === "number") {
    const { slot, by } = a.remainder;
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const z = f[slot];
      return (typeof z === "number" ? z % by === y : same(left(f), y, f))
        ? yes(f)
        : no === undefined
          ? undefined
          : no(f);
    };
  }
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return (typeof x === "number" ? x === y : same(x, y, f))
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
      return (typeof x === "number" && typeof y === "number" ? x === y : same(x, y, f))
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
      return (typeof x === "number" ? x === y : same(x, y, f))
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
    return (typeof x === "number" && typeof y === "number" ? x === y : same(x, y, f))
      ? yes(f)
      : no === undefined
        ? undefined
        : no(f);
  };
};
