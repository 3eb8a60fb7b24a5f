/** The limits of the protocol as numbers that a test may set lower, and those that no client needs to know. */
import { limits as told } from "./protocol/index.ts";

type Numbers<T> = { readonly [K in keyof T]: T[K] extends number ? number : Numbers<T[K]> };

export const serverLimits = {
  ...told,
  connections: 1000,
  /** Failed logins of an address in a minute. */
  loginFailures: 10,
} as const;

export type ServerLimits = Numbers<typeof serverLimits>;
