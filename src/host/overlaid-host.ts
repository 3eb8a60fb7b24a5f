/** A machine with some of its ports replaced; everything else is its own. */
import type { Host } from "./ports.ts";

export function overlaidHost(host: Host, ports: Readonly<Record<string | symbol, unknown>>): Host {
  return new Proxy(host, {
    get: (target, name) => {
      if (Object.hasOwn(ports, name)) return ports[name];
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
