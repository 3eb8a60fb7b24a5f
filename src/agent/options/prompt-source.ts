/** Where a prompt's text comes from when a script brings its own: `"path"`, `{path}`, `{text}`, or a function of the bindings. */
import type { Task } from "../../interp/index.ts";
import { callableOnChild } from "../../interp/index.ts";
import { refusal, row, rows } from "../../table/index.ts";
import { Callable, Dict, display } from "../../values/index.ts";

export type PromptSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "closure"; readonly closure: Callable };

const sourceRows = rows(() => ({
  path: row.filled("The file of a template."),
  text: row.filled("The template itself."),
}));

/** Such a source, in any of its forms. */
export const promptSourceRow = (doc = "") =>
  row.either([row.filled(), row.closure(), row.dict(sourceRows)], doc).to((read, place): PromptSource => {
    if (typeof read === "string") return { kind: "path", path: read };
    if (read instanceof Callable) return { kind: "closure", closure: read };
    const { path, text } = read;
    if (path !== null && text === null) return { kind: "path", path };
    if (text !== null && path === null) return { kind: "text", text };
    throw refusal(place, "{path} or {text}", new Dict());
  });

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
