/** Principals, logins and kept answers in the store of the project. */
import { createHash } from "node:crypto";
import { access, type ClientOf, clientOf, type EmbeddedOperations } from "../../durable/index.ts";
import type { ServerClock } from "../clock.ts";
import type { KeptAnswer, KeptAnswers } from "../idempotency.ts";
import type { Access, ListedPrincipal, LoginSession, Principal, PrincipalRole } from "./access.ts";

const codeMs = 10 * 60_000;
const cookieMs = 30 * 24 * 3_600_000;
const tokenBytes = 32;
const codeBytes = 16;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** As names stand in records, logs and on the command line. */
export const principalName = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

export class StoreAccess implements Access, KeptAnswers {
  private readonly operations: EmbeddedOperations;
  private readonly stored: ClientOf<typeof access>;
  private readonly clock: ServerClock;

  constructor(operations: EmbeddedOperations, clock: ServerClock) {
    this.operations = operations;
    this.stored = new (clientOf(access))(operations);
    this.clock = clock;
  }

  byToken(token: string): Principal | undefined {
    return principalOf(this.stored.byToken({ hash: hashOf(token) }));
  }

  byCookie(secret: string): Principal | undefined {
    return principalOf(this.stored.byCookie({ hash: hashOf(secret), now: this.clock.now() }));
  }

  login(codeOrToken: string): LoginSession | undefined {
    const secret = this.secret(tokenBytes);
    const now = this.clock.now();
    const expires = now + cookieMs;
    const asked = { hash: hashOf(codeOrToken), cookie: hashOf(secret), expires };
    const found = this.stored.useCode({ ...asked, now }) ?? this.stored.login(asked);
    const principal = principalOf(found);
    return principal && { secret, principal, expires };
  }

  logout(secret: string): void {
    this.stored.logout({ hash: hashOf(secret) });
  }

  newCode(principal: string): string {
    const code = this.secret(codeBytes);
    const now = this.clock.now();
    this.stored.newCode({
      hash: hashOf(code),
      name: principal,
      expires: now + codeMs,
      now,
    });
    return code;
  }

  list(): readonly ListedPrincipal[] {
    return this.stored
      .list()
      .map(({ name, role, created, revoked }) => ({ name, role: role as PrincipalRole, created, revoked }));
  }

  add(name: string, role: PrincipalRole, token = this.secret(tokenBytes)): string | undefined {
    const added = { name, role, hash: hashOf(token), now: this.clock.now() };
    return this.stored.add(added) ? token : undefined;
  }

  /** Gives a principal this token instead of the one it has. */
  replaceToken(name: string, token: string): boolean {
    return this.stored.replaceToken({ name, hash: hashOf(token) });
  }

  revoke(name: string): boolean {
    return this.stored.revoke({ name, now: this.clock.now() });
  }

  find(principal: string, key: string): KeptAnswer | undefined {
    const now = this.clock.now();
    return this.stored.answered({ name: principal, key, now }) ?? undefined;
  }

  keep(principal: string, key: string, { digest, status, body }: KeptAnswer): void {
    const now = this.clock.now();
    this.stored.keepAnswer({ name: principal, key, digest, status, body, now });
  }

  together<T>(work: () => T): T {
    return this.operations.together(work);
  }

  private secret(bytes: number): string {
    return Buffer.from(this.clock.randomBytes(bytes)).toString("base64url");
  }
}

const principalOf = (row: { readonly name: string; readonly role: string } | null): Principal | undefined =>
  row === null ? undefined : { name: row.name, role: row.role as PrincipalRole };
