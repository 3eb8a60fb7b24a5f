// Made by scripts/specialise.ts (`npm run specialise`): change the tables there.
import { add } from "../../values/index.ts";
import { memberValue } from "../places/member-read.ts";
import {
  MAX,
  SHORT_TEXT,
  type Specialised,
  type Storing,
  slow,
  storeLater,
  withLeft,
  withRight,
} from "../specialise.ts";

export const plus: Specialised = (a, b, site) => {
  if (a.may || b.may) {
    const right = b.run;
    if (a.slot >= 0) {
      const i = a.slot;
      return (f) => {
        const x = f[i];
        if (typeof x === "number") {
          const y = right(f);
          if (typeof y === "number") {
            const r = x + y;
            if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
              return r;
            }
          }
          return withRight(add, x, y, site);
        }
        return withLeft(f, add, x, right, site);
      };
    }
    const left = a.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        if (typeof y === "number") {
          const r = x + y;
          if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
            return r;
          }
        }
        return withRight(add, x, y, site);
      }
      return withLeft(f, add, x, right, site);
    };
  }
  if (a.inner !== undefined && typeof b.constant === "number") {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          const r = m + y;
          if (((m | 0) === m || (m <= MAX && m >= -MAX)) && ((r | 0) === r || (r <= MAX && r >= -MAX))) {
            return r;
          }
        }
        return slow(add, left(f), y, site);
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m + y;
          if (((m | 0) === m || (m <= MAX && m >= -MAX)) && ((r | 0) === r || (r <= MAX && r >= -MAX))) {
            return r;
          }
        }
        return slow(add, left(f), y, site);
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m + y;
          if (((m | 0) === m || (m <= MAX && m >= -MAX)) && ((r | 0) === r || (r <= MAX && r >= -MAX))) {
            return r;
          }
        }
        return slow(add, left(f), y, site);
      };
  }
  if (a.member !== undefined && b.member !== undefined) {
    const m = a.member;
    const n = b.member;
    return (f) => {
      const x = memberValue(f, m);
      const y = memberValue(f, n);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  if (a.slot >= 0 && b.member !== undefined) {
    const i = a.slot;
    const n = b.member;
    return (f) => {
      const x = f[i];
      const y = memberValue(f, n);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  if (b.member !== undefined) {
    const left = a.run;
    const n = b.member;
    return (f) => {
      const x = left(f);
      const y = memberValue(f, n);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  if (a.member !== undefined) {
    const m = a.member;
    const right = b.run;
    return (f) => {
      const x = memberValue(f, m);
      const y = right(f);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      return slow(add, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      return slow(add, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          return r;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        return x + y;
      }
      return slow(add, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number") {
      const r = x + y;
      if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
        return r;
      }
    }
    if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
      return x + y;
    }
    return slow(add, x, y, site);
  };
};

/** The result goes into a slot. */
export const plusTo: Storing = (a, b, site, target) => {
  if (a.may || b.may) {
    const right = b.run;
    if (a.slot >= 0) {
      const i = a.slot;
      return (f) => {
        const x = f[i];
        if (typeof x === "number") {
          const y = right(f);
          if (typeof y === "number") {
            const r = x + y;
            if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
              f[target] = r;
              return undefined;
            }
          }
          return storeLater(f, target, withRight(add, x, y, site));
        }
        return storeLater(f, target, withLeft(f, add, x, right, site));
      };
    }
    const left = a.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        if (typeof y === "number") {
          const r = x + y;
          if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
            f[target] = r;
            return undefined;
          }
        }
        return storeLater(f, target, withRight(add, x, y, site));
      }
      return storeLater(f, target, withLeft(f, add, x, right, site));
    };
  }
  if (a.inner !== undefined && typeof b.constant === "number") {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          const r = m + y;
          if (((m | 0) === m || (m <= MAX && m >= -MAX)) && ((r | 0) === r || (r <= MAX && r >= -MAX))) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(add, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m + y;
          if (((m | 0) === m || (m <= MAX && m >= -MAX)) && ((r | 0) === r || (r <= MAX && r >= -MAX))) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(add, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m + y;
          if (((m | 0) === m || (m <= MAX && m >= -MAX)) && ((r | 0) === r || (r <= MAX && r >= -MAX))) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(add, left(f), y, site);
        return undefined;
      };
  }
  if (a.member !== undefined && b.member !== undefined) {
    const m = a.member;
    const n = b.member;
    return (f) => {
      const x = memberValue(f, m);
      const y = memberValue(f, n);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (a.slot >= 0 && b.member !== undefined) {
    const i = a.slot;
    const n = b.member;
    return (f) => {
      const x = f[i];
      const y = memberValue(f, n);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (b.member !== undefined) {
    const left = a.run;
    const n = b.member;
    return (f) => {
      const x = left(f);
      const y = memberValue(f, n);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (a.member !== undefined) {
    const m = a.member;
    const right = b.run;
    return (f) => {
      const x = memberValue(f, m);
      const y = right(f);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x + y;
        if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
        f[target] = x + y;
        return undefined;
      }
      f[target] = slow(add, x, y, site);
      return undefined;
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number") {
      const r = x + y;
      if ((r | 0) === r || (r <= MAX && r >= -MAX)) {
        f[target] = r;
        return undefined;
      }
    }
    if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) {
      f[target] = x + y;
      return undefined;
    }
    f[target] = slow(add, x, y, site);
    return undefined;
  };
};
