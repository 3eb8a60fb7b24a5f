/**
 * Operators on two operands, specialised by what the operands are: a slot, a constant int, or anything; and assignments
 * of their results to a slot.
 *
 * A node is one closure; reading a slot, holding a constant or storing the result inside it saves a call of another node
 * each (2 to 4 ns), which is most of what an operation costs. Ints are JavaScript numbers while safe; everything else
 * goes to `values/operators.ts`. The variants differ in one line each: written out, because V8 keeps type feedback per
 * function literal.
 */
import { located, type Run, type Site } from "../interp/index.ts";
import {
  add,
  divide,
  equals,
  greaterOrEqual,
  greaterThan,
  lessOrEqual,
  lessThan,
  modulo,
  multiply,
  subtract,
  type Value,
} from "../values/index.ts";
import type { Ex } from "./node.ts";

const MAX = Number.MAX_SAFE_INTEGER;

/** An operator that may raise: the position is added when it does. */
function slow(op: (a: Value, b: Value) => Value, a: Value, b: Value, site: Site): Value {
  try {
    return op(a, b);
  } catch (error) {
    throw located(error, site);
  }
}

export type Specialised = (a: Ex, b: Ex, site: Site) => Run;
/** Stores the result in a slot; gives no completion. */
export type Storing = (a: Ex, b: Ex, site: Site, target: number) => Run;

export const plus: Specialised = (a, b, site) => {
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
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(add, left(f), y, site);
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m + y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(add, left(f), y, site);
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m + y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(add, left(f), y, site);
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x + y;
        if (r <= MAX && r >= -MAX) return r;
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
        if (r <= MAX && r >= -MAX) return r;
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) return x + y;
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
        if (r <= MAX && r >= -MAX) return r;
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) return x + y;
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
        if (r <= MAX && r >= -MAX) return r;
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
        if (r <= MAX && r >= -MAX) return r;
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) return x + y;
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
      if (r <= MAX && r >= -MAX) return r;
    }
    if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) return x + y;
    return slow(add, x, y, site);
  };
};

export const plusTo: Storing = (a, b, site, target) => {
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
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
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
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
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
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(add, left(f), y, site);
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
        if (r <= MAX && r >= -MAX) {
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
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) {
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
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) {
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
        if (r <= MAX && r >= -MAX) {
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
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) {
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
      if (r <= MAX && r >= -MAX) {
        f[target] = r;
        return undefined;
      }
    }
    if (typeof x === "string" && typeof y === "string" && x.length + y.length < 1 << 28) {
      f[target] = x + y;
      return undefined;
    }
    f[target] = slow(add, x, y, site);
    return undefined;
  };
};

export const minus: Specialised = (a, b, site) => {
  if (a.inner !== undefined && typeof b.constant === "number") {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          const r = m - y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(subtract, left(f), y, site);
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m - y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(subtract, left(f), y, site);
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m - y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(subtract, left(f), y, site);
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(subtract, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(subtract, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(subtract, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(subtract, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(subtract, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number") {
      const r = x - y;
      if (r <= MAX && r >= -MAX) return r;
    }
    return slow(subtract, x, y, site);
  };
};

export const minusTo: Storing = (a, b, site, target) => {
  if (a.inner !== undefined && typeof b.constant === "number") {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          const r = m - y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(subtract, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m - y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(subtract, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m - y;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(subtract, left(f), y, site);
        return undefined;
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(subtract, x, y, site);
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
        const r = x - y;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(subtract, x, y, site);
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
        const r = x - y;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(subtract, x, y, site);
      return undefined;
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const r = x - y;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(subtract, x, y, site);
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
        const r = x - y;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(subtract, x, y, site);
      return undefined;
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number") {
      const r = x - y;
      if (r <= MAX && r >= -MAX) {
        f[target] = r;
        return undefined;
      }
    }
    f[target] = slow(subtract, x, y, site);
    return undefined;
  };
};

export const times: Specialised = (a, b, site) => {
  if (a.inner !== undefined && typeof b.constant === "number") {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          const r = m * y + 0;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(multiply, left(f), y, site);
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m * y + 0;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(multiply, left(f), y, site);
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m * y + 0;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) return r;
        }
        return slow(multiply, left(f), y, site);
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(multiply, x, y, site);
    };
  }
  if (a.slot >= 0 && b.slot >= 0) {
    const i = a.slot;
    const j = b.slot;
    return (f) => {
      const x = f[i];
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(multiply, x, y, site);
    };
  }
  if (a.slot >= 0) {
    const i = a.slot;
    const right = b.run;
    return (f) => {
      const x = f[i];
      const y = right(f);
      if (typeof x === "number" && typeof y === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(multiply, x, y, site);
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(multiply, x, y, site);
    };
  }
  if (b.slot >= 0) {
    const left = a.run;
    const j = b.slot;
    return (f) => {
      const x = left(f);
      const y = f[j];
      if (typeof x === "number" && typeof y === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) return r;
      }
      return slow(multiply, x, y, site);
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number") {
      const r = x * y + 0;
      if (r <= MAX && r >= -MAX) return r;
    }
    return slow(multiply, x, y, site);
  };
};

export const timesTo: Storing = (a, b, site, target) => {
  if (a.inner !== undefined && typeof b.constant === "number") {
    const { slot: i, by: c } = a.inner;
    const left = a.run;
    const y = b.constant;
    if (a.inner.op === "+")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z + c;
          const r = m * y + 0;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(multiply, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "-")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z - c;
          const r = m * y + 0;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(multiply, left(f), y, site);
        return undefined;
      };
    if (a.inner.op === "*")
      return (f) => {
        const z = f[i];
        if (typeof z === "number") {
          const m = z * c + 0;
          const r = m * y + 0;
          if (m <= MAX && m >= -MAX && r <= MAX && r >= -MAX) {
            f[target] = r;
            return undefined;
          }
        }
        f[target] = slow(multiply, left(f), y, site);
        return undefined;
      };
  }

  if (a.slot >= 0 && typeof b.constant === "number") {
    const i = a.slot;
    const y = b.constant;
    return (f) => {
      const x = f[i];
      if (typeof x === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(multiply, x, y, site);
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
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(multiply, x, y, site);
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
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(multiply, x, y, site);
      return undefined;
    };
  }
  if (typeof b.constant === "number") {
    const left = a.run;
    const y = b.constant;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(multiply, x, y, site);
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
        const r = x * y + 0;
        if (r <= MAX && r >= -MAX) {
          f[target] = r;
          return undefined;
        }
      }
      f[target] = slow(multiply, x, y, site);
      return undefined;
    };
  }
  const left = a.run;
  const right = b.run;
  return (f) => {
    const x = left(f);
    const y = right(f);
    if (typeof x === "number" && typeof y === "number") {
      const r = x * y + 0;
      if (r <= MAX && r >= -MAX) {
        f[target] = r;
        return undefined;
      }
    }
    f[target] = slow(multiply, x, y, site);
    return undefined;
  };
};

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
