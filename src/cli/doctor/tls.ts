import { X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import { readCertificate } from "../../config/certificate.ts";
import type { Config } from "../../config/config.ts";
import { ListenError } from "../../config/listen-error.ts";
import { describeDuration } from "../output/duration.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const EXPIRING_MS = 30 * 86_400_000;

/** Checks that the certificate, if there is one, is valid and does not expire soon. */
export function checkTls(config: Pick<Config, "tlsCert" | "tlsKey">, now = Date.now()): Finding[] {
  try {
    const certificate = readCertificate(config);
    if (!certificate) return [];
    const exposed = (statSync(config.tlsKey).mode & 0o004) !== 0;
    return [
      checkDates(new X509Certificate(certificate.cert), now),
      ...(exposed
        ? [warning("tls", `Every user of this machine can read the private key: chmod 600 ${config.tlsKey}`)]
        : []),
    ];
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    return [problem("tls", error.message)];
  }
}

function checkDates({ subject, subjectAltName, validFrom, validTo }: X509Certificate, now: number): Finding {
  const name = `The certificate of ${subjectAltName ?? subject}`;
  const remainingMs = Date.parse(validTo) - now;
  if (Date.parse(validFrom) > now)
    return problem("tls", `${name} is not valid before ${validFrom}: clients reject it until then.`);
  if (remainingMs <= 0)
    return problem("tls", `${name} has expired (${validTo}): replace it, and restart the service.`);
  if (remainingMs < EXPIRING_MS) {
    return warning(
      "tls",
      `${name} expires in ${describeDuration(remainingMs)}: replace it, and restart the service.`,
    );
  }
  return ok("tls", `${name} matches its key and is valid for another ${describeDuration(remainingMs)}.`);
}
