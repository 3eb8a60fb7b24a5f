/** What scorers of the table say of a sample before there is an outcome: that it would score nothing, whatever the answer is. */
import type { Callable, Dict } from "../../values/index.ts";

/** What the sample's `target` would have to be; undefined: nothing is wrong. */
export type SampleLook = (sample: Dict) => string | undefined;

const looks = new WeakMap<Callable, SampleLook>();

export const setSampleLook = (score: Callable, look: SampleLook): void => void looks.set(score, look);

/** Of the function of a scorer; those that are written in the language say nothing. */
export const lookAtSample = (score: Callable, sample: Dict): string | undefined => looks.get(score)?.(sample);
