/** The fields that have a value: what is `undefined` was not given, and must not hide what stands below it. */
export const presentFields = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
