/** Daemons of a run: loaded by the first builtin that starts or asks for one. */
export { lookAtDaemon, resumeDaemon, spawnDaemon, stopDaemon, triggerDaemon } from "./daemon-calls.ts";
