import { equals, greaterOrEqual, greaterThan, lessOrEqual, lessThan, type Value } from "../values/index.ts";

import type { Specialised } from "./specialise.ts";

export const less: Specialised = (a, b) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x < y : lessThan(x, y);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x < y : lessThan(x, y);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x < y : lessThan(x, y);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x < y : lessThan(x, y);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x < y : lessThan(x, y);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x < y : lessThan(x, y);
  };
};

export const lessEqual: Specialised = (a, b) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x <= y : lessOrEqual(x, y);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x <= y : lessOrEqual(x, y);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x <= y : lessOrEqual(x, y);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x <= y : lessOrEqual(x, y);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x <= y : lessOrEqual(x, y);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x <= y : lessOrEqual(x, y);
  };
};

export const greater: Specialised = (a, b) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x > y : greaterThan(x, y);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x > y : greaterThan(x, y);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x > y : greaterThan(x, y);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x > y : greaterThan(x, y);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x > y : greaterThan(x, y);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x > y : greaterThan(x, y);
  };
};

export const greaterEqual: Specialised = (a, b) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x >= y : greaterOrEqual(x, y);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x >= y : greaterOrEqual(x, y);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x >= y : greaterOrEqual(x, y);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x >= y : greaterOrEqual(x, y);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x >= y : greaterOrEqual(x, y);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x >= y : greaterOrEqual(x, y);
  };
};

/** Equality of two values whose JavaScript types already decide most of it. */
function same(x: Value, y: Value): boolean {
  if (typeof x === "string" && typeof y === "string") return x === y;
  return equals(x, y);
}

export const equal: Specialised = (a, b) => {
  if (a.remainder !== undefined && typeof b.constant === "number") {
    const { slot, by } = a.remainder;
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = f[slot];
      return typeof x === "number" ? x % by === y : same(left(f), y);
    };
  }
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x === y : same(x, y);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x === y : same(x, y);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x === y : same(x, y);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x === y : same(x, y);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x === y : same(x, y);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x === y : same(x, y);
  };
};

export const notEqual: Specialised = (a, b) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      return typeof x === "number" ? x !== y : !same(x, y);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x !== y : !same(x, y);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      return typeof x === "number" && typeof y === "number" ? x !== y : !same(x, y);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      return typeof x === "number" ? x !== y : !same(x, y);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      return typeof x === "number" && typeof y === "number" ? x !== y : !same(x, y);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    return typeof x === "number" && typeof y === "number" ? x !== y : !same(x, y);
  };
};
