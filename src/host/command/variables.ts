/** Variables of this process's environment for a while: what is run in it, and what it starts, sees them. */
import { ownProcess } from "../../process/index.ts";

/** Sets variables (`undefined`: takes them away) and gives what puts them back as they were. */
export function setVariables(wanted: Iterable<readonly [string, string | undefined]>): () => void {
  const before = [...wanted].map(([name, value]) => {
    const old = ownProcess().env[name];
    setVariable(name, value);
    return [name, old] as const;
  });
  return () => {
    for (const [name, value] of before.toReversed()) setVariable(name, value);
  };
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete ownProcess().env[name];
  else ownProcess().env[name] = value;
}

/** The version of this build; a test compares it with package.json. */
export const version = "0.1.0";
