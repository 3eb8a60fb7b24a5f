/** What sessions, agents and daemons may be called: their names are also names of folders. */
import { StoreError } from "../../../store/index.ts";

const form = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Gives the name, or throws what is wrong with it. */
export function checkDurableName(what: "session" | "agent" | "daemon", name: string): string {
  if (form.test(name)) return name;
  throw new StoreError(
    "invalid",
    `${JSON.stringify(name)} can't name ${what === "agent" ? "an agent" : `a ${what}`}: 1 to 64 letters (a–z), digits, \`.\`, \`_\` and \`-\`, beginning with a letter or digit`,
    what === "daemon" ? ["--name gives it another one"] : [],
  );
}

/** A name made of the script's: `bug triage.harn` is the agent `bug-triage`. */
export function agentOfScript(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.harn$/, "");
  const name = base
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return name === "" ? "agent" : name;
}
