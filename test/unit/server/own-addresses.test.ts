/** Where a server can be reached from its own machine. */
import { expect, test } from "vitest";
import { ownAddresses } from "../../../src/server/listen.ts";

test.each([
  ["127.0.0.1", ["127.0.0.1:4747"]],
  ["::1", ["[::1]:4747"]],
  ["192.0.2.7", ["192.0.2.7:4747"]],
  [
    "0.0.0.0",
    [
      "0.0.0.0:4747",
      "127.0.0.1:4747",
      "[::1]:4747",
      "192.0.2.7:4747",
      "[fe80::7]:4747",
      "[2001:db8::7]:4747",
    ],
  ],
])("bound to %s", (host, rules) => {
  expect(ownAddresses(host, 4747, ["127.0.0.1", "192.0.2.7", "fe80::7%eth0", "2001:db8::7"])).toEqual(rules);
});
