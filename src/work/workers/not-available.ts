/** Parts of workers that this version does not have are refused by name: ignoring them would do something else. */
import { ScriptError } from "../../values/index.ts";

export function notAvailable(caller: string, option: string): ScriptError {
  const text = `${caller}: option \`${option}\` is not available yet in this version; leave it out or set it to nil`;
  return new ScriptError("thrown", text, { code: "HARN-ORC-090" });
}
