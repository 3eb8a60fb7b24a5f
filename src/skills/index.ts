/** Skills: registries, files, matching, activation. README.md has the drawing. */

export { discoveredSkills } from "./discover.ts";
export { configureSkillMatch, type SkillMatchHost, skillMatchers } from "./host-match.ts";
export { isFileSkill, loadSkillBody } from "./load.ts";
export { loadAgentLoop, skillsAround } from "./loop-skills.ts";
export { checkSignature } from "./signatures.ts";
export * from "./skill-entries.ts";
export { skillFields } from "./skill-fields.ts";
export { skillDirs } from "./skill-layers.ts";
export * from "./skill-text.ts";
