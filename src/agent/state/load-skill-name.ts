/** The tool with which a model loads a skill. */
export const loadSkillName = "load_skill";
