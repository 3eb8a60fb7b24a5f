/** One or more calls of every operation of principals, logins and kept answers. */
import type { Json } from "../../../src/effects/index.ts";
import type { Sample } from "./samples.ts";

const now = 50;
const ann: readonly [string, Json] = ["access.add", { name: "ann", role: "write", hash: "t1", now }];
const revoked: readonly [string, Json] = ["access.revoke", { name: "ann", now: 60 }];
const code: readonly [string, Json] = ["access.new_code", { hash: "c1", name: "ann", expires: 100, now }];
const use = (at: number): Json => ({ hash: "c1", cookie: "k1", expires: 900, now: at });
const used: readonly [string, Json] = ["access.use_code", use(70)];
const known = '{"name":"ann","role":"write"}';
const answer: Json = { name: "ann", key: "k", digest: "d", status: 201, body: "{}", now };
const kept: readonly [string, Json] = ["access.keep_answer", answer];
const day = 24 * 3_600_000;

export const accessSamples: readonly Sample[] = [
  { operation: "access.add", args: ann[1], result: "true" },
  { operation: "access.add", before: [ann], args: ann[1], result: "false" },
  { operation: "access.add", before: [ann, revoked], args: ann[1], result: "true" },
  { operation: "access.replace_token", before: [ann], args: { name: "ann", hash: "t2" }, result: "true" },
  { operation: "access.replace_token", args: { name: "ann", hash: "t2" }, result: "false" },
  { operation: "access.revoke", before: [ann, code], args: revoked[1], result: "true" },
  { operation: "access.revoke", before: [ann, revoked], args: revoked[1], result: "false" },
  {
    operation: "access.list",
    before: [ann],
    args: {},
    result: '[{"name":"ann","role":"write","created":50,"revoked":null}]',
  },
  { operation: "access.by_token", before: [ann], args: { hash: "t1" }, result: known },
  { operation: "access.by_token", before: [ann], args: { hash: "t2" }, result: "null" },
  { operation: "access.by_token", before: [ann, revoked], args: { hash: "t1" }, result: "null" },
  {
    operation: "access.new_code",
    before: [ann, code],
    args: { ...(code[1] as object), now: 200 } as Json,
    result: "null",
  },
  { operation: "access.use_code", before: [ann, code], args: use(70), result: known },
  { operation: "access.use_code", before: [ann, code, used], args: use(71), result: "null" },
  { operation: "access.use_code", before: [ann, code], args: use(100), result: "null" },
  { operation: "access.use_code", before: [ann, code, revoked], args: use(70), result: "null" },
  { operation: "access.by_cookie", before: [ann, code, used], args: { hash: "k1", now: 80 }, result: known },
  {
    operation: "access.by_cookie",
    before: [ann, code, used],
    args: { hash: "k1", now: 900 },
    result: "null",
  },
  { operation: "access.by_cookie", before: [ann, code], args: { hash: "c1", now: 80 }, result: "null" },
  {
    operation: "access.by_cookie",
    before: [ann, code, used, revoked],
    args: { hash: "k1", now: 80 },
    result: "null",
  },
  {
    operation: "access.login",
    before: [ann],
    args: { hash: "t1", cookie: "k1", expires: 900 },
    result: known,
  },
  {
    operation: "access.login",
    before: [ann],
    args: { hash: "x", cookie: "k1", expires: 900 },
    result: "null",
  },
  { operation: "access.logout", before: [ann, code, used], args: { hash: "k1" }, result: "null" },
  { operation: "access.keep_answer", args: answer, result: "null" },
  {
    operation: "access.answered",
    before: [kept],
    args: { name: "ann", key: "k", now: day },
    result: '{"digest":"d","status":201,"body":"{}"}',
  },
  {
    operation: "access.answered",
    before: [kept],
    args: { name: "ann", key: "k", now: day + 50 },
    result: "null",
  },
  { operation: "access.answered", before: [kept], args: { name: "bob", key: "k", now }, result: "null" },
];
