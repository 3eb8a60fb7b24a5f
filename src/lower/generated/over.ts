// Made by scripts/specialise.ts (`npm run specialise`): change the tables there.
import { divide } from "../../values/index.ts";

import { type Specialised, type Storing, slow, storeLater, withLeft, withRight } from "../specialise.ts";

export const over: Specialised = (a, b, site) => {
  if (a.may || b.may) {
    const right = b.run;
    if (a.slot >= 0) {
      const i = a.slot;
      return (f) => {
        const x = f[i];
        if (typeof x === "number") {
          const y = right(f);
          if (typeof y === "number" && y !== 0) {
            return Math.trunc(x / y) + 0;
          }
          return withRight(divide, x, y, site);
        }
        return withLeft(f, divide, x, right, site);
      };
    }
    const left = a.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        if (typeof y === "number" && y !== 0) {
          return Math.trunc(x / y) + 0;
        }
        return withRight(divide, x, y, site);
      }
      return withLeft(f, divide, x, right, site);
    };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number" && y !== 0) {
        return Math.trunc(x / y) + 0;
      }
      return slow(divide, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        return Math.trunc(x / y) + 0;
      }
      return slow(divide, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        return Math.trunc(x / y) + 0;
      }
      return slow(divide, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number" && y !== 0) {
        return Math.trunc(x / y) + 0;
      }
      return slow(divide, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number" && y !== 0) {
        return Math.trunc(x / y) + 0;
      }
      return slow(divide, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number" && y !== 0) {
      return Math.trunc(x / y) + 0;
    }
    return slow(divide, x, y, site);
  };
};

/** The result goes into a slot. */
export const overTo: Storing = (a, b, site, target) => {
  if (a.may || b.may) {
    const right = b.run;
    if (a.slot >= 0) {
      const i = a.slot;
      return (f) => {
        const x = f[i];
        if (typeof x === "number") {
          const y = right(f);
          if (typeof y === "number" && y !== 0) {
            f[target] = Math.trunc(x / y) + 0;
            return undefined;
          }
          return storeLater(f, target, withRight(divide, x, y, site));
        }
        return storeLater(f, target, withLeft(f, divide, x, right, site));
      };
    }
    const left = a.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        if (typeof y === "number" && y !== 0) {
          f[target] = Math.trunc(x / y) + 0;
          return undefined;
        }
        return storeLater(f, target, withRight(divide, x, y, site));
      }
      return storeLater(f, target, withLeft(f, divide, x, right, site));
    };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number" && y !== 0) {
        f[target] = Math.trunc(x / y) + 0;
        return undefined;
      }
      f[target] = slow(divide, x, y, site);
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
        f[target] = Math.trunc(x / y) + 0;
        return undefined;
      }
      f[target] = slow(divide, x, y, site);
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
        f[target] = Math.trunc(x / y) + 0;
        return undefined;
      }
      f[target] = slow(divide, x, y, site);
      return undefined;
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number" && y !== 0) {
        f[target] = Math.trunc(x / y) + 0;
        return undefined;
      }
      f[target] = slow(divide, x, y, site);
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
        f[target] = Math.trunc(x / y) + 0;
        return undefined;
      }
      f[target] = slow(divide, x, y, site);
      return undefined;
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number" && y !== 0) {
      f[target] = Math.trunc(x / y) + 0;
      return undefined;
    }
    f[target] = slow(divide, x, y, site);
    return undefined;
  };
};
