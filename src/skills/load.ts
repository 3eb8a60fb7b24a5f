/**
 * The body of a skill: of a declared one its prompt, of one from the file system the text after the frontmatter, read
 * when somebody needs it, with its signature looked at (agents.md §15.5, §15.6).
 */

import { type ResultOf, shape } from "../effects/index.ts";
import { type Host, HostError, machineOfProgram, watchEgress } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import { projectManifest } from "../model/index.ts";
import { variable } from "../process/environment.ts";
import type { Dict, MaybePromise } from "../values/index.ts";
import { textField } from "../values/index.ts";
import { checkSignature, requirementProblem, type SkillProblem, type SkillSignature } from "./signatures.ts";
import { skillList, skillName } from "./skill-entries.ts";
import { BrokenSkill, parseSkillFile } from "./skill-file.ts";
import { signerRegistry } from "./skill-layers.ts";

export type LoadedSkill =
  | { readonly ok: true; readonly body: string; readonly signature: SkillSignature }
  | { readonly ok: false; readonly problem: SkillProblem; readonly signature: SkillSignature | null };

const noSignature: SkillSignature = { signed: false, trusted: false, fingerprint: null, error: null };

/** Whether a skill lies in a file and its body is not in memory. */
export const isFileSkill = (entry: Dict): boolean =>
  textField(entry, "skill_dir") !== "" &&
  textField(entry, "body") === "" &&
  textField(entry, "prompt") === "";

/** Reads the body. `required`: a caller insists on a trusted signature. */
export async function loadSkillBody(task: Task, entry: Dict, required = false): Promise<LoadedSkill> {
  const wanted =
    required ||
    entry.get("require_signature") === true ||
    variable(task.runtime.host.env, "HARN_REQUIRE_SIGNED_SKILLS") === "1";
  const loaded = isFileSkill(entry) ? await readBody(task, entry) : declared(entry);
  if (!loaded.ok || !wanted) return loaded;
  const problem = requirementProblem(skillName(entry), loaded.signature);
  return problem === null ? loaded : { ok: false, problem, signature: loaded.signature };
}

function declared(entry: Dict): LoadedSkill {
  return { ok: true, body: textField(entry, "body") || textField(entry, "prompt"), signature: noSignature };
}

const readSkillShape = shape.record({
  body: shape.text,
  signature: shape.record<SkillSignature>({
    signed: shape.flag,
    trusted: shape.flag,
    fingerprint: shape.orNull(shape.text),
    error: shape.orNull(shape.record<SkillProblem>({ code: shape.text, message: shape.text })),
  }),
  /** Why it can't be read. */
  failure: shape.orNull(shape.text),
});
type ReadSkill = ResultOf<typeof readSkillShape>;

async function readBody(task: Task, entry: Dict): Promise<LoadedSkill> {
  const name = skillName(entry);
  const folder = textField(entry, "skill_dir");
  const signers = skillList(entry, "trusted_signers") ?? [];
  const registry = signerRegistry(projectManifest(task));
  watchEgress(task);
  const read = await (task.perform<ReadSkill>({
    effect: "read",
    kind: "skills.load",
    args: () => ({ name, folder }),
    run: (signal) => readFile(machineOfProgram(task.runtime.host), name, folder, signers, registry, signal),
    result: readSkillShape,
  }) as MaybePromise<ReadSkill>);
  const { signature, failure } = read;
  if (failure !== null) {
    const message = `skill '${name}' can't be read: ${failure}`;
    return { ok: false, problem: { code: "skill_not_readable", message }, signature };
  }
  if (signature.error !== null) return { ok: false, problem: signature.error, signature };
  return { ok: true, body: read.body, signature };
}

async function readFile(
  host: Host,
  name: string,
  folder: string,
  signers: readonly string[],
  registry: string | null,
  signal: AbortSignal,
): Promise<ReadSkill> {
  const { files, libraries } = host;
  try {
    const bytes = files.readBytes(`${folder}/SKILL.md`);
    const path = `${folder}/SKILL.md.sig`;
    const text = files.stat(path)?.kind === "file" ? files.readText(path) : undefined;
    const keys = (fingerprint: string): Promise<string | undefined> =>
      keyOf(host, fingerprint, registry, signal);
    const signature = await checkSignature(host, `skill '${name}'`, bytes, text, signers, keys);
    const { body } = parseSkillFile(new TextDecoder().decode(bytes), libraries.yaml());
    return { body, signature, failure: null };
  } catch (error) {
    if (!(error instanceof HostError || error instanceof BrokenSkill)) throw error;
    return { body: "", signature: noSignature, failure: error.message };
  }
}

/** The user's own trusted signers first, then the project's registry. */
async function keyOf(
  host: Host,
  fingerprint: string,
  registry: string | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  const own = `${host.homeDir}/.harn/trusted-signers/${fingerprint}.pub`;
  if (host.files.stat(own)?.kind === "file") return host.files.readText(own);
  if (registry === null) return undefined;
  const place = `${registry.replace(/\/$/, "")}/${fingerprint}.pub`;
  if (!/^https?:\/\//.test(place))
    return host.files.stat(place)?.kind === "file" ? host.files.readText(place) : undefined;
  const response = await host.network.request(
    {
      method: "GET",
      url: place,
      headers: [],
      maxRedirects: 3,
      maxBytes: 64 * 1024,
      decompress: true,
      timeoutMs: 10_000,
    },
    { signal },
  );
  return response.status === 200 ? new TextDecoder().decode(response.body) : undefined;
}
