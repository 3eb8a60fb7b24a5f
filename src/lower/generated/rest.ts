// Made by scripts/specialise.ts (`npm run specialise`): change the tables there.
import { modulo } from "../../values/index.ts";

import { MAX, type Specialised, type Storing, slow, storeLater, withLeft, withRight } from "../specialise.ts";

export const rest: Specialised = (a, b, site) => {
  if (a.may || b.may) {
    const right = b.run;
    if (a.slot >= 0) {
      const i = a.slot;
      return (f) => {
        const x = f[i];
        if (typeof x === "number") {
          const y = right(f);
          if (typeof y === "number" && y !== 0) {
            return (x % y) + 0;
          }
          return withRight(modulo, x, y, site);
        }
        return withLeft(f, modulo, x, right, site);
      };
    }
    const left = a.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        if (typeof y === "number" && y !== 0) {
          return (x % y) + 0;
        }
        return withRight(modulo, x, y, site);
      }
      return withLeft(f, modulo, x, right, site);
    };
  }
  if (a.inner !== undefined && typeof b.constant === "number" && b.constant !== 0) {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          if ((m | 0) === m || (m <= MAX && m >= -MAX)) {
            return (m % y) + 0;
          }
        }
        return slow(modulo, left(f), y, site);
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          if ((m | 0) === m || (m <= MAX && m >= -MAX)) {
            return (m % y) + 0;
          }
        }
        return slow(modulo, left(f), y, site);
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          if ((m | 0) === m || (m <= MAX && m >= -MAX)) {
            return (m % y) + 0;
          }
        }
        return slow(modulo, left(f), y, site);
      };
  }
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number" && y !== 0) {
        return (x % y) + 0;
      }
      return slow(modulo, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        return (x % y) + 0;
      }
      return slow(modulo, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        return (x % y) + 0;
      }
      return slow(modulo, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number" && y !== 0) {
        return (x % y) + 0;
      }
      return slow(modulo, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        return (x % y) + 0;
      }
      return slow(modulo, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number" && y !== 0) {
      return (x % y) + 0;
    }
    return slow(modulo, x, y, site);
  };
};

/** The result goes into a slot. */
export const restTo: Storing = (a, b, site, target) => {
  if (a.may || b.may) {
    const right = b.run;
    if (a.slot >= 0) {
      const i = a.slot;
      return (f) => {
        const x = f[i];
        if (typeof x === "number") {
          const y = right(f);
          if (typeof y === "number" && y !== 0) {
            f[target] = (x % y) + 0;
            return undefined;
          }
          return storeLater(f, target, withRight(modulo, x, y, site));
        }
        return storeLater(f, target, withLeft(f, modulo, x, right, site));
      };
    }
    const left = a.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        if (typeof y === "number" && y !== 0) {
          f[target] = (x % y) + 0;
          return undefined;
        }
        return storeLater(f, target, withRight(modulo, x, y, site));
      }
      return storeLater(f, target, withLeft(f, modulo, x, right, site));
    };
  }
  if (a.inner !== undefined && typeof b.constant === "number" && b.constant !== 0) {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          if ((m | 0) === m || (m <= MAX && m >= -MAX)) {
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
          if ((m | 0) === m || (m <= MAX && m >= -MAX)) {
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
          if ((m | 0) === m || (m <= MAX && m >= -MAX)) {
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
      if (typeof x === "number" && y !== 0) {
        f[target] = (x % y) + 0;
        return undefined;
      }
      f[target] = slow(modulo, x, y, site);
      return undefined;
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        f[target] = (x % y) + 0;
        return undefined;
      }
      f[target] = slow(modulo, x, y, site);
      return undefined;
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        f[target] = (x % y) + 0;
        return undefined;
      }
      f[target] = slow(modulo, x, y, site);
      return undefined;
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number" && y !== 0) {
        f[target] = (x % y) + 0;
        return undefined;
      }
      f[target] = slow(modulo, x, y, site);
      return undefined;
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        f[target] = (x % y) + 0;
        return undefined;
      }
      f[target] = slow(modulo, x, y, site);
      return undefined;
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number" && y !== 0) {
      f[target] = (x % y) + 0;
      return undefined;
    }
    f[target] = slow(modulo, x, y, site);
    return undefined;
  };
};
