/** The names of new runs. Imports nothing: who only names one loads no more. */

/** `run-20261130-001500-a1b2c3d4`: sorts by time, unique without asking anybody. */
export function newRunId(): string {
  const time = new Date().toISOString().replace(/[-:]/g, "").replace(/\..*/, "").replace("T", "-");
  return `run-${time}-${process.getBuiltinModule("node:crypto").randomBytes(4).toString("hex")}`;
}
