import { join, resolve } from "node:path";

/** The project's root folder. */
export const root = resolve(import.meta.dir, "../..");

/** A test certificate or its key, by file name. */
export const certificateFile = (name: string) => join(import.meta.dir, "certificates", name);
