export const engines = ["sqlite", "postgres"] as const;
export type EngineName = (typeof engines)[number];
