import { readFileSync } from "node:fs";
import { certificateFile } from "./paths.ts";

/** A TLS certificate for localhost, as settings, and its certificate authority. */
export const testTls = {
  settings: { tlsCert: certificateFile("server.crt"), tlsKey: certificateFile("server.key") },
  ca: readFileSync(certificateFile("authority.crt"), "utf8"),
} as const;
