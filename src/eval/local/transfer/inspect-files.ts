/** Logs of Inspect AI as files: an archive with a member for each sample (`.eval`), or one JSON object (`.json`). */

import { exportedText } from "../../../host/command/index.ts";
import { nodeFiles } from "../../../host/index.ts";
import { ownPath } from "../../../process/index.ts";
import { type Json, jsonNestsTooDeep, maxJsonDepth } from "../../../values/index.ts";
import {
  type ImportedSet,
  ImportProblem,
  type InspectLog,
  importedInspectLog,
  inspectText,
  parseInspectJson,
  summaryOf,
} from "../../report/index.ts";
import { membersOfZip, type ZipMember, ZipWriter } from "./zip-file.ts";

const sampleName = /^samples\/.+\.json$/su;

/** An archive: a member for each sample, and the header, which a log that was cut off lacks. */
export function importedLog(bytes: Buffer): ImportedSet {
  const members = membersOfZip(bytes);
  const jsonOf = (member: ZipMember): Json => {
    const text = member.read().toString("utf8");
    if (jsonNestsTooDeep(text))
      throw new ImportProblem(`its member ${member.name} nests deeper than ${maxJsonDepth}`);
    return parseInspectJson(text);
  };
  const named = (name: string): ZipMember | undefined => members.find((member) => member.name === name);
  const header = named("header.json") ?? named("_journal/start.json");
  const samples = members.filter(({ name }) => sampleName.test(name));
  return importedInspectLog(
    header === undefined ? null : jsonOf(header),
    samples.sort((a, b) => (a.name < b.name ? -1 : 1)).map(jsonOf),
  );
}

const textOfExport = (json: Json): string => exportedText(inspectText(json));

export function writeInspectArchive(path: string, { header, samples, reductions }: InspectLog): void {
  const zip = new ZipWriter(path);
  const { version, eval: facts, plan } = header;
  zip.add("_journal/start.json", textOfExport({ version, eval: facts, plan } as Json));
  for (const { id, epoch, json } of samples)
    zip.add(`samples/${id}_epoch_${epoch}.json`, textOfExport(json as Json));
  zip.add("summaries.json", textOfExport(samples.map(summaryOf)));
  zip.add("reductions.json", textOfExport(reductions));
  zip.add("header.json", textOfExport(header as Json));
  zip.close();
}

export function writeInspectJson(path: string, { header, samples, reductions }: InspectLog): void {
  const log = { ...header, samples: samples.map(({ json }) => json as Json), reductions };
  nodeFiles.write(ownPath(path), textOfExport(log as Json));
}
