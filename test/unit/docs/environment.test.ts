/** Every variable of the environment that the sources name is in the list, and everything in the list is read somewhere. */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { environmentVariables } from "../../../src/process/environment.ts";

const listed = Object.values(environmentVariables).flatMap((group) => Object.keys(group));
const files = [...globSync("src/**/*.ts"), ...globSync("stdlib/**/*.harn")]
  .filter((path) => path !== "src/process/environment.ts")
  .map((path) => [path, readFileSync(path, "utf8")] as const);
/** Names that stand for several: `HARN_RATE_LIMIT_OPENAI`, `HARN_SECRET_GITHUB_TOKEN`; and one of an example. */
const families = ["HARN_RATE_LIMIT_", "HARN_SECRET_", "HARN_SURELY_NOT_SET"];

it("no source names one that is not in the list", () => {
  const unlisted = files.flatMap(([path, text]) =>
    [...text.matchAll(/["`](HARN_[A-Z0-9_]+)["`$]|\benv\.([A-Z][A-Z0-9_]+)\b/g)]
      .map(([, quoted, member]) => quoted ?? member ?? "")
      .filter((name) => !listed.includes(name) && !families.some((family) => name.startsWith(family)))
      .map((name) => `${path}: ${name}`),
  );
  expect(unlisted, "write it in src/process/environment.ts").toEqual([]);
});

it("reads of an environment go through the list", () => {
  const past = files.flatMap(([path, text]) =>
    [...text.matchAll(/\benv\??\.get\("[A-Z0-9_]+"\)/g)].map(([read]) => `${path}: ${read}`),
  );
  expect(past, "use variable(env, NAME)").toEqual([]);
});

it("every one of the list is named somewhere", () => {
  const all = files.map(([, text]) => text).join("\n");
  const unread = listed.filter(
    (name) => !new RegExp(`\\b${name}\\b`).test(all) && !families.some((family) => name.startsWith(family)),
  );
  expect(unread).toEqual([]);
});
