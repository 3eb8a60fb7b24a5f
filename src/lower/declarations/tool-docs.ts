/**
 * What the documentation comment of a `tool` says to models.
 *
 *     Looks up a ticket.
 *
 *     @param id Its number, such as `17`.
 */

export interface ToolDoc {
  /** The text before the first tag, for a tool without a `description`. */
  readonly about: string;
  /** By name of the parameter. */
  readonly params: ReadonlyMap<string, string>;
}

const paramLine = /^@param\s+(?:\{[^}]*\}\s*)?(\w+)\s*(?:[:—–-]\s+)?(.*)$/;

/** `doc`: a documentation comment without its markers. Lines below a tag belong to it; tags besides `@param` are not for models. */
export function readToolDoc(doc: string): ToolDoc {
  const about: string[] = [];
  const params = new Map<string, string[]>();
  let into: string[] | undefined = about;
  for (const line of doc.split("\n").map((one) => one.trim())) {
    if (line.startsWith("@")) {
      const [, name, text = ""] = paramLine.exec(line) ?? [];
      into = name === undefined ? undefined : [text];
      if (name !== undefined && into !== undefined) params.set(name, into);
    } else into?.push(line);
  }
  return {
    about: about.join("\n").trim(),
    params: new Map([...params].map(([name, lines]) => [name, lines.join(" ").trim()])),
  };
}
