/**
 * Who may do what: principals with tokens, and logins of browsers. Secrets are kept as SHA-256 only: tokens and codes have
 * 128 bits or more, so that nothing slower is needed, and they are found by their hash, so that no comparison takes longer
 * for a better guess.
 */

export type PrincipalRole = "read" | "write" | "admin";

export interface Principal {
  readonly name: string;
  readonly role: PrincipalRole;
}

export interface ListedPrincipal extends Principal {
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly revoked: number | null;
}

export interface LoginSession {
  /** For the cookie; shown once. */
  readonly secret: string;
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

export interface Access {
  /** Whose token it is; `undefined`: nobody's, or revoked. */
  byToken(token: string): Principal | undefined;
  /** Whose cookie it is; `undefined`: nobody's, over, or of somebody revoked. */
  byCookie(secret: string): Principal | undefined;
  /** A login for a code (once, within its time) or a token; `undefined`: neither. */
  login(codeOrToken: string): LoginSession | undefined;
  logout(secret: string): void;
  /** A code for a login link: once, ten minutes. */
  newCode(principal: string): string;
  list(): readonly ListedPrincipal[];
  /** Gives the token, which is not to be had again; `undefined`: there is one of this name. */
  add(name: string, role: PrincipalRole): string | undefined;
  /** Its token and logins end. False: there is none. */
  revoke(name: string): boolean;
}

const rank = { none: 0, read: 1, write: 2, admin: 3 } as const;

/** Whether a role includes what another may do. */
export const mayAs = (has: PrincipalRole | "none", needs: keyof typeof rank): boolean =>
  rank[has] >= rank[needs];

/** Nobody: for routes without login. */
export const nobody: Principal = { name: "", role: "read" };
