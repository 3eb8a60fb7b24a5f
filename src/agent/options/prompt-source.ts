/** Where a prompt's text comes from when a script brings its own: `"path"`, `{path}`, `{text}`, or a function of the bindings. */
import type { Task } from "../../interp/index.ts";
import { callableOnChild } from "../../interp/index.ts";
import { Callable, Dict, display, thrown, type Value } from "../../values/index.ts";

export type PromptSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "closure"; readonly closure: Callable };

/** Reads an entry. `where` begins the error's text. */
export function readPromptSource(value: Value, where: string): PromptSource | null {
  if (value === null) return null;
  if (typeof value === "string" && value !== "") return { kind: "path", path: value };
  if (value instanceof Callable) return { kind: "closure", closure: value };
  const bad = `${where} must be a path string, closure, {text}, or {path}`;
  if (!(value instanceof Dict)) throw thrown(bad);
  const path = value.get("path") ?? null;
  const text = value.get("text") ?? null;
  if (path !== null && text !== null) throw thrown(`${bad}, not both \`text\` and \`path\``);
  if (typeof text === "string" && text !== "") return { kind: "text", text };
  if (typeof path === "string" && path !== "") return { kind: "path", path };
  throw thrown(text === "" || path === "" || value.size === 0 ? `${bad}; got an empty entry` : bad);
}

/** Its text: files and inline texts are templates (`{{ name }}`), rendered as the builtins `render_prompt` and `render_string` do. */
export async function renderPromptSource(task: Task, source: PromptSource, bindings: Dict): Promise<string> {
  if (source.kind === "closure") {
    const answer = await callableOnChild(task, source.closure, [bindings]);
    return typeof answer === "string" ? answer : answer === null ? "" : display(answer);
  }
  const [name, template] =
    source.kind === "path"
      ? (["render_prompt", source.path] as const)
      : (["render_string", source.text] as const);
  const rendered = await task.runtime.builtins.get(name)?.run(task, template, bindings);
  return typeof rendered === "string" ? rendered : "";
}
