/** The first principal of a store: an admin whose token lies in a file of the state folder, or comes from the environment. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../host/command/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import type { StoreAccess } from "../index.ts";

export const tokenVariable = "HARN_SERVE_TOKEN";
const leastCharacters = 32;
const admin = "admin";

export const tokenFile = (state: string): string => join(state, "serve.token");

/** Gives the name of an admin for whom a login link may be made. */
export function adminOf(access: StoreAccess, state: string, text: string | undefined): string {
  const known = () => access.list().find(({ role, revoked }) => role === admin && revoked === null)?.name;
  if (text !== undefined && text !== "") {
    if (text.length < leastCharacters)
      throw new UsageError(`${tokenVariable} must have at least ${leastCharacters} characters`);
    if (!access.replaceToken(admin, text)) access.add(admin, admin, text);
    // A token that does not hold any more helps nobody.
    rmSync(tokenFile(state), { force: true });
    return admin;
  }
  const first = known();
  if (first !== undefined) return first;
  const token = access.add(admin, admin);
  if (token === undefined) {
    // Another server on this store was first, a moment ago.
    const other = known();
    if (other !== undefined) return other;
    throw new UsageError("there is a principal `admin` that is no admin", "HARN-CLI-008");
  }
  const file = tokenFile(state);
  // In its place as a whole: a link that a project brought along is replaced, never written through.
  replaceContent(file, `${token}\n`, 0o600);
  return admin;
}
