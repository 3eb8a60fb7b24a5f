/** Skills: registries, files, matching, activation. README.md has the drawing. */
export { matchForTurn, surroundings } from "./active-skills.ts";
export { activeSkillsText, skillCatalog } from "./active-text.ts";
export { loadAgentLoop } from "./agent-loops.ts";
export { discoveredSkills } from "./discover.ts";
export { configureSkillMatch, type SkillMatchHost, skillMatchers } from "./host-match.ts";
export { isFileSkill, type LoadedSkill, loadSkillBody } from "./load.ts";
export { loadSkillCall, loadSkillTool, scopeAfterLoading } from "./load-tool.ts";
export { skillsAround } from "./loop-skills.ts";
export { type Candidate, matchSkills } from "./match.ts";
export { checkSignature, signatureSchema } from "./signatures.ts";
export * from "./skill-entries.ts";
export { skillFields } from "./skill-fields.ts";
export { BrokenSkill, parseSkillFile } from "./skill-file.ts";
export { layerNames, skillDirs } from "./skill-layers.ts";
export { type SkillOptions, skillOptionsIn } from "./skill-options.ts";
export { skillGate, skillScope } from "./skill-scope.ts";
export * from "./skill-text.ts";
