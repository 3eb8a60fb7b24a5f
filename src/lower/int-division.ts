import { divide, modulo } from "../values/index.ts";

import { MAX, type Specialised, type Storing, slow } from "./specialise.ts";

export const over: Specialised = (a, b, site) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number" && y !== 0) return Math.trunc(x / y) + 0;
      return slow(divide, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) return Math.trunc(x / y) + 0;
      return slow(divide, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number" && y !== 0) return Math.trunc(x / y) + 0;
      return slow(divide, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number" && y !== 0) return Math.trunc(x / y) + 0;
      return slow(divide, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) return Math.trunc(x / y) + 0;
      return slow(divide, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number" && y !== 0) return Math.trunc(x / y) + 0;
    return slow(divide, x, y, site);
  };
};

export const overTo: Storing = (a, b, site, target) => {
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      f[target] = typeof x === "number" && y !== 0 ? Math.trunc(x / y) + 0 : slow(divide, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      f[target] =
        typeof x === "number" && typeof y === "number" && y !== 0
          ? Math.trunc(x / y) + 0
          : slow(divide, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      f[target] =
        typeof x === "number" && typeof y === "number" && y !== 0
          ? Math.trunc(x / y) + 0
          : slow(divide, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      f[target] = typeof x === "number" && y !== 0 ? Math.trunc(x / y) + 0 : slow(divide, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      f[target] =
        typeof x === "number" && typeof y === "number" && y !== 0
          ? Math.trunc(x / y) + 0
          : slow(divide, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    f[target] =
      typeof x === "number" && typeof y === "number" && y !== 0
        ? Math.trunc(x / y) + 0
        : slow(divide, x, y, site);
  };
};

export const rest: Specialised = (a, b, site) => {
  if (a.inner !== undefined && typeof b.constant === "number" && b.constant !== 0) {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          if (m <= MAX && m >= -MAX) return (m % y) + 0;
        }
        return slow(modulo, left(f), y, site);
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          if (m <= MAX && m >= -MAX) return (m % y) + 0;
        }
        return slow(modulo, left(f), y, site);
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          if (m <= MAX && m >= -MAX) return (m % y) + 0;
        }
        return slow(modulo, left(f), y, site);
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number" && y !== 0) return (x % y) + 0;
      return slow(modulo, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) return (x % y) + 0;
      return slow(modulo, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number" && y !== 0) return (x % y) + 0;
      return slow(modulo, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number" && y !== 0) return (x % y) + 0;
      return slow(modulo, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) return (x % y) + 0;
      return slow(modulo, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number" && y !== 0) return (x % y) + 0;
    return slow(modulo, x, y, site);
  };
};

export const restTo: Storing = (a, b, site, target) => {
  if (a.inner !== undefined && typeof b.constant === "number" && b.constant !== 0) {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          if (m <= MAX && m >= -MAX) {
            f[target] = (m % y) + 0;
            return undefined;
          }
        }
        f[target] = slow(modulo, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          if (m <= MAX && m >= -MAX) {
            f[target] = (m % y) + 0;
            return undefined;
          }
        }
        f[target] = slow(modulo, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          if (m <= MAX && m >= -MAX) {
            f[target] = (m % y) + 0;
            return undefined;
          }
        }
        f[target] = slow(modulo, left(f), y, site);
        return undefined;
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      f[target] = typeof x === "number" && y !== 0 ? (x % y) + 0 : slow(modulo, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      f[target] =
        typeof x === "number" && typeof y === "number" && y !== 0 ? (x % y) + 0 : slow(modulo, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      f[target] =
        typeof x === "number" && typeof y === "number" && y !== 0 ? (x % y) + 0 : slow(modulo, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      f[target] = typeof x === "number" && y !== 0 ? (x % y) + 0 : slow(modulo, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      f[target] =
        typeof x === "number" && typeof y === "number" && y !== 0 ? (x % y) + 0 : slow(modulo, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    f[target] =
      typeof x === "number" && typeof y === "number" && y !== 0 ? (x % y) + 0 : slow(modulo, x, y, site);
  };
};
