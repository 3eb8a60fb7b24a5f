/** What `harn cluster check` says of the database: its version, what it promises of the disk, rights, the bell. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { askPostgres, databaseConnection, dropped, placeWords } from "./connection.ts";
import { databaseRefuses, type ProjectPlace } from "./place.ts";
import { type Statements, tableIn, tableNames, tablesVersion } from "./statements.ts";

const bellMs = 2000;

export async function checkedDatabase(
  client: Client,
  { place, schema }: ProjectPlace,
  sql: Statements,
): Promise<readonly string[]> {
  const [found] = (await askPostgres(client, sql.settings)).rows;
  await mustHaveRights(client, { place, schema }, sql);
  const isDelivered = await deliversBell(client, { place, schema }, sql);
  return [
    `database  PostgreSQL ${found.version} at ${placeWords(place)}, as ${found.name}`,
    `tables    ${schema}, version ${tablesVersion}: ${found.jobs} job(s), ${found.open} not over; they can be read and written`,
    found.fsync === "on"
      ? "disk      fsync is on"
      : "disk      fsync is OFF: when its machine loses power, runs at work may be lost, and effects done twice",
    found.commit === "off"
      ? "commits   synchronous_commit is off; harn's own connections wait for the disk all the same"
      : `commits   synchronous_commit is ${found.commit}`,
    isDelivered
      ? "bell      NOTIFY is delivered"
      : "bell      NOTIFY is NOT delivered (is a pooler in between?): a request to stop is seen with the next look, within a second or two",
  ];
}

async function mustHaveRights(
  client: Client,
  { place, schema }: ProjectPlace,
  sql: Statements,
): Promise<void> {
  const tables = tableNames.filter((name) => name !== "about").map((name) => tableIn(schema, name));
  const { rows } = await askPostgres(client, sql.rights, [tables]);
  const lacking = rows
    .filter(({ granted }) => granted !== true)
    .map(({ what, relation }) => `${what} on ${relation}`);
  if (lacking.length > 0)
    throw databaseRefuses(
      place,
      `${place.user} lacks ${lacking.join(", ")}\n  its owner grants it: GRANT ALL ON ALL TABLES IN SCHEMA "${schema}" TO ${place.user};`,
    );
}

async function deliversBell(
  client: Client,
  { place, schema }: ProjectPlace,
  sql: Statements,
): Promise<boolean> {
  const ear = await databaseConnection(place, "harn check");
  const word = `check ${process.pid} ${performance.now()}`;
  try {
    const delivered = new Promise<true>((resolve) => {
      ear.on("notification", ({ payload }) => {
        if (payload === word) resolve(true);
      });
    });
    await ear.query(sql.listen.text);
    await askPostgres(client, sql.ring, [schema, word]);
    return await Promise.race([delivered, pause(bellMs, false, { ref: false })]);
  } finally {
    dropped(ear);
  }
}
