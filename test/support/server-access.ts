/** Principals and kept answers in memory, for tests of the server that need no store. */
import type { Access, KeptAnswer, KeptAnswers, Principal, PrincipalRole } from "../../src/server/index.ts";

/** The token of a principal is `NAME-token`, its cookie `NAME-cookie`, its code `NAME-code`. */
export class MemoryAccess implements Access {
  readonly principals = new Map<string, { role: PrincipalRole; created: number; revoked: number | null }>();

  constructor(principals: readonly Principal[]) {
    for (const { name, role } of principals) this.add(name, role);
  }

  byToken(token: string): Principal | undefined {
    return this.named(token, "-token");
  }

  byCookie(secret: string): Principal | undefined {
    return this.named(secret, "-cookie");
  }

  login(codeOrToken: string): ReturnType<Access["login"]> {
    const principal = this.named(codeOrToken, "-code") ?? this.byToken(codeOrToken);
    return principal && { secret: `${principal.name}-cookie`, principal, expires: Number.MAX_SAFE_INTEGER };
  }

  logout(): void {}

  newCode(principal: string): string {
    return `${principal}-code`;
  }

  list(): ReturnType<Access["list"]> {
    return [...this.principals].map(([name, { role, created, revoked }]) => ({
      name,
      role,
      created,
      revoked,
    }));
  }

  add(name: string, role: PrincipalRole): string | undefined {
    if (this.principals.has(name)) return undefined;
    this.principals.set(name, { role, created: 0, revoked: null });
    return `${name}-token`;
  }

  revoke(name: string): boolean {
    return this.principals.delete(name);
  }

  private named(text: string, suffix: string): Principal | undefined {
    const name = text.slice(0, -suffix.length);
    const found = text.endsWith(suffix) ? this.principals.get(name) : undefined;
    return found && { name, role: found.role };
  }
}

export class MemoryAnswers implements KeptAnswers {
  private readonly answers = new Map<string, KeptAnswer>();

  find(principal: string, key: string): KeptAnswer | undefined {
    return this.answers.get(`${principal} ${key}`);
  }

  keep(principal: string, key: string, answer: KeptAnswer): void {
    this.answers.set(`${principal} ${key}`, answer);
  }

  together<T>(work: () => T): T {
    return work();
  }
}
