import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "./config.ts";
import { ListenError } from "./listen-error.ts";

/** A certificate chain and its private key, both as PEM text. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Reads and checks the TLS certificate, if one is set. Throws a `ListenError` that names the setting. */
export function readCertificate({
  tlsCert,
  tlsKey,
}: Pick<Config, "tlsCert" | "tlsKey">): Certificate | undefined {
  if (tlsCert === "") return undefined;
  const cert = readPem("ROSTER_TLS_CERT", tlsCert);
  const key = readPem("ROSTER_TLS_KEY", tlsKey);
  const chain = cert.match(/-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----)?/g) ?? [""];
  const [first] = chain.map((pem) =>
    parse(
      () => new X509Certificate(pem),
      `ROSTER_TLS_CERT: ${tlsCert} is not a complete certificate in PEM format.`,
    ),
  );
  const privateKey = parse(
    () => createPrivateKey(key),
    `ROSTER_TLS_KEY: ${tlsKey} is not a private key in PEM format, or the key has a passphrase.`,
  );
  if (!first?.checkPrivateKey(privateKey)) {
    throw new ListenError(
      `ROSTER_TLS_KEY: ${tlsKey} is not the private key of the first certificate in ${tlsCert} (ROSTER_TLS_CERT).`,
    );
  }
  return { cert, key };
}

function readPem(setting: string, path: string): string {
  return parse(
    () => readFileSync(path, "utf8"),
    `${setting}: cannot read ${path}. Set the path of a PEM file that this user can read.`,
  );
}

function parse<T>(parser: () => T, message: string): T {
  try {
    return parser();
  } catch {
    throw new ListenError(message);
  }
}
