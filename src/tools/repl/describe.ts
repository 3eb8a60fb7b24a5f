/** `:doc NAME`: a function or type of the session, a builtin, a keyword's absence said clearly. */
import { nearest } from "../../diagnostics/index.ts";
import type { BuiltinTable } from "../../table/index.ts";
import { typeOf } from "../../values/index.ts";
import { builtinText } from "../doc/reference.ts";
import type { Session } from "./session.ts";

/** The text for a name, without a final line break. */
export function describe(name: string, session: Session, builtins: BuiltinTable): string {
  const declared = session.declaration(name);
  if (declared !== undefined) {
    const text = session.transcript.slice(declared);
    const head = declared.kind === "FnDecl" ? text.slice(0, headLength(text)).trim() : text;
    return declared.doc === "" ? head : `${head}\n\n${declared.doc}`;
  }
  const variable = session.variables.get(name);
  if (variable !== undefined) return `${variable.mutable ? "var" : "let"} ${name}: ${typeOf(variable.value)}`;
  const spec = builtins.get(name);
  if (spec !== undefined) return builtinText(spec).trimEnd();
  const near = nearest(name, [...session.variables.keys(), ...builtins.keys()]);
  return `nothing here is called \`${name}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

/** A function without its body: up to the brace at the end of its head (types may hold braces too). */
function headLength(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "{" && depth === 0) return i;
  }
  return text.length;
}
