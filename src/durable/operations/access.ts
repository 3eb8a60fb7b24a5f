/**
 * Who may use a server, their logins, and answers that are given again. Secrets come as SHA-256 (64 hexadecimal digits): this
 * store never sees one.
 */
import { defineOperations, operation } from "../operation.ts";
import type { RowOf } from "../tables.ts";
import type { Tx } from "../tx.ts";

export const principalRoles = ["read", "write", "admin"] as const;

/** Answers are given again for a day. */
const answerMs = 24 * 3_600_000;
const maxRows = 10_000;

type KnownPrincipal = Pick<RowOf<"principal">, "name" | "role">;
const accessScope = (): readonly string[] => ["access"];

export const access = defineOperations("access", {
  add: operation({
    doc: "Adds a principal, or gives one whose token was revoked a new one; false when there is one of this name.",
    scopes: accessScope,
    run: (
      tx: Tx,
      one: { readonly name: string; readonly role: string; readonly hash: string; readonly now: number },
    ): boolean => {
      const [before] = tx.rows("principal", { name: one.name }, 1);
      if (before !== undefined && before.revoked === null) return false;
      const row = { name: one.name, role: one.role, token: one.hash, created: one.now, revoked: null };
      tx.write("principal", row);
      return true;
    },
  }),
  replaceToken: operation({
    doc: "Gives a principal another token; false when there is none of this name.",
    scopes: accessScope,
    run: (tx: Tx, one: { readonly name: string; readonly hash: string }): boolean => {
      const [before] = tx.rows("principal", { name: one.name }, 1);
      if (before === undefined || before.revoked !== null) return false;
      tx.write("principal", { ...before, token: one.hash });
      return true;
    },
  }),
  revoke: operation({
    doc: "Ends a principal's token and logins; false when there is none of this name.",
    scopes: accessScope,
    run: (tx: Tx, one: { readonly name: string; readonly now: number }): boolean => {
      const [before] = tx.rows("principal", { name: one.name }, 1);
      if (before === undefined || before.revoked !== null) return false;
      tx.write("principal", { ...before, revoked: one.now });
      tx.remove("login", { principal: one.name });
      return true;
    },
  }),
  list: operation({
    doc: "All principals, sorted by name.",
    scopes: accessScope,
    reads: true,
    run: (tx: Tx): Omit<RowOf<"principal">, "token">[] =>
      tx.rows("principal", {}, maxRows).map(({ token: _token, ...rest }) => rest),
  }),
  byToken: operation({
    doc: "Whose token it is; nil for nobody's.",
    scopes: accessScope,
    reads: true,
    run: (tx: Tx, one: { readonly hash: string }): KnownPrincipal | null => {
      const [row] = tx.rows("principal", { token: one.hash }, 1);
      return row === undefined || row.revoked !== null ? null : known(row);
    },
  }),
  byCookie: operation({
    doc: "Whose login it is; nil for nobody's, or one that is over.",
    scopes: accessScope,
    reads: true,
    run: (tx: Tx, one: { readonly hash: string; readonly now: number }): KnownPrincipal | null => {
      const [login] = tx.rows("login", { hash: one.hash, kind: "cookie" }, 1);
      return login === undefined || login.expires <= one.now ? null : active(tx, login.principal);
    },
  }),
  newCode: operation({
    doc: "Keeps the code of a login link.",
    scopes: accessScope,
    run: (
      tx: Tx,
      one: { readonly hash: string; readonly name: string; readonly expires: number; readonly now: number },
    ): null => {
      forgetOld(tx, one.now);
      const row = { hash: one.hash, kind: "code", principal: one.name, expires: one.expires, used: null };
      tx.write("login", row);
      return null;
    },
  }),
  useCode: operation({
    doc: "Exchanges a code for a login; gives its principal, nil when the code is none, used or over.",
    scopes: accessScope,
    run: (
      tx: Tx,
      one: { readonly hash: string; readonly cookie: string; readonly expires: number; readonly now: number },
    ): KnownPrincipal | null => {
      const [code] = tx.rows("login", { hash: one.hash, kind: "code" }, 1);
      if (code === undefined || code.used !== null || code.expires <= one.now) return null;
      const principal = active(tx, code.principal);
      if (principal === null) return null;
      tx.write("login", { ...code, used: one.now });
      tx.write("login", cookieRow(one.cookie, principal.name, one.expires));
      return principal;
    },
  }),
  login: operation({
    doc: "A login for a token; gives its principal, nil for nobody's.",
    scopes: accessScope,
    run: (
      tx: Tx,
      one: { readonly hash: string; readonly cookie: string; readonly expires: number },
    ): KnownPrincipal | null => {
      const [row] = tx.rows("principal", { token: one.hash }, 1);
      if (row === undefined || row.revoked !== null) return null;
      tx.write("login", cookieRow(one.cookie, row.name, one.expires));
      return known(row);
    },
  }),
  logout: operation({
    doc: "Ends a login.",
    scopes: accessScope,
    run: (tx: Tx, one: { readonly hash: string }): null => {
      tx.remove("login", { hash: one.hash, kind: "cookie" });
      return null;
    },
  }),
  answered: operation({
    doc: "What a request with this key was answered within the last day; nil for none.",
    scopes: accessScope,
    reads: true,
    run: (
      tx: Tx,
      one: { readonly name: string; readonly key: string; readonly now: number },
    ): Pick<RowOf<"answered_request">, "digest" | "status" | "body"> | null => {
      const [row] = tx.rows("answered_request", { principal: one.name, key: one.key }, 1);
      if (row === undefined || row.at <= one.now - answerMs) return null;
      const { digest, status, body } = row;
      return { digest, status, body };
    },
  }),
  keepAnswer: operation({
    doc: "Keeps the answer to a request with a key.",
    scopes: accessScope,
    run: (
      tx: Tx,
      one: Omit<RowOf<"answered_request">, "principal" | "at"> & {
        readonly name: string;
        readonly now: number;
      },
    ): null => {
      const { name: principal, now: at, ...rest } = one;
      tx.write("answered_request", { ...rest, principal, at });
      return null;
    },
  }),
});

const known = ({ name: of, role }: RowOf<"principal">): KnownPrincipal => ({ name: of, role });

function active(tx: Tx, principal: string): KnownPrincipal | null {
  const [row] = tx.rows("principal", { name: principal }, 1);
  return row === undefined || row.revoked !== null ? null : known(row);
}

const cookieRow = (hashed: string, principal: string, until: number): RowOf<"login"> => ({
  hash: hashed,
  kind: "cookie",
  principal,
  expires: until,
  used: null,
});

/** Codes and logins that are over. */
function forgetOld(tx: Tx, at: number): void {
  for (const row of tx.rows("login", {}, maxRows))
    if (row.expires <= at) tx.remove("login", { hash: row.hash });
}
