/** Which paths a call names, and where they lie. Lexical: nothing is looked up, so nothing needs recording. */

import type { PendingCall } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { kindOfTool, sideEffectOf } from "./annotations.ts";

/** Under these names paths are found where a tool declares none. */
export const usualPathKeys: readonly string[] = ["path", "destination", "source", "file"];

/** The names of the path arguments that a tool declares: `annotations.arg_schema.path_params` or `annotations.path_params`. */
export function pathParams(annotations: Dict | undefined): string[] {
  const schema = annotations?.get("arg_schema");
  const declared =
    (schema instanceof Dict ? schema.get("path_params") : undefined) ?? annotations?.get("path_params");
  return declared instanceof List ? [...declared].filter((key) => typeof key === "string") : [];
}

/** The path arguments of a call. */
export const declaredPaths = (
  pending: Pick<PendingCall, "arguments">,
  annotations: Dict | undefined,
): string[] => pathsAt(pending.arguments, pathParams(annotations));

/**
 * The declared paths of a call whose tool says that it writes files, and those that it writes whatever its arguments are
 * (`annotations.writes`).
 */
export function writtenPaths(call: Pick<PendingCall, "arguments">, annotations: Dict | undefined): string[] {
  const writes =
    sideEffectOf(annotations) === "workspace_write" || writingKinds.has(kindOfTool(annotations) ?? "");
  if (!writes) return [];
  const always = annotations?.get("writes");
  return [
    ...declaredPaths(call, annotations),
    ...(always instanceof List ? [...always].filter((path) => typeof path === "string") : []),
  ];
}

const writingKinds: ReadonlySet<string> = new Set(["edit", "write", "move"]);

/** The texts of some arguments, lists flattened. */
export function pathsAt(args: Dict, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const value = args.get(key) ?? null;
    if (typeof value === "string") return [value];
    return value instanceof List ? [...value].filter((item) => typeof item === "string") : [];
  });
}

/** Every text anywhere in the arguments. */
export function textsOfValue(value: Value): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof List) return [...value].flatMap(textsOfValue);
  return value instanceof Dict ? [...value.entries()].flatMap(([, part]) => textsOfValue(part)) : [];
}
