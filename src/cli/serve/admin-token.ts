/** The first principal of a store: an admin whose token lies in a file of the state folder, or comes from the environment. */
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoreAccess } from "../../server/index.ts";
import { exitCode } from "../exit-codes.ts";
import { UsageError } from "../usage-error.ts";

export const tokenVariable = "HARN_SERVE_TOKEN";
const leastCharacters = 32;
const admin = "admin";

export const tokenFile = (state: string): string => join(state, "serve.token");

/** Gives the name of an admin for whom a login link may be made. */
export function adminOf(access: StoreAccess, state: string, given: string | undefined): string {
  const admins = access.list().filter(({ role, revoked }) => role === admin && revoked === null);
  if (given !== undefined && given !== "") {
    if (given.length < leastCharacters)
      throw new UsageError(
        `${tokenVariable} must have at least ${leastCharacters} characters`,
        exitCode.usage,
      );
    if (!access.replaceToken(admin, given)) access.add(admin, admin, given);
    // A token that does not hold any more helps nobody.
    rmSync(tokenFile(state), { force: true });
    return admin;
  }
  const [known] = admins;
  if (known !== undefined) return known.name;
  const token = access.add(admin, admin);
  if (token === undefined) throw new UsageError("there is a principal `admin` that is none", exitCode.failed);
  const file = tokenFile(state);
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return admin;
}
