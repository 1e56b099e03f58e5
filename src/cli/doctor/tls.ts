import { X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import { readCertificate } from "../../config/certificate.ts";
import type { Config } from "../../config/config.ts";
import { ListenError } from "../../config/listen-error.ts";
import { describeDuration } from "../output/duration.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const ENDING_MS = 30 * 86_400_000;

/** The certificate, if there is one: whether it can be used, and for how long. */
export function checkTls(config: Pick<Config, "tlsCert" | "tlsKey">, now = Date.now()): Finding[] {
  try {
    const certificate = readCertificate(config);
    if (!certificate) return [];
    const exposed = (statSync(config.tlsKey).mode & 0o004) !== 0;
    return [
      checkDates(new X509Certificate(certificate.cert), now),
      ...(exposed
        ? [
            warning(
              "tls",
              `Every user of this machine can read the private key: chmod 600 ${config.tlsKey}, as a file of the service's user.`,
            ),
          ]
        : []),
    ];
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    return [problem("tls", error.message)];
  }
}

function checkDates({ subject, subjectAltName, validFrom, validTo }: X509Certificate, now: number): Finding {
  const name = `The certificate of ${subjectAltName ?? subject}`;
  const left = Date.parse(validTo) - now;
  if (Date.parse(validFrom) > now)
    return problem("tls", `${name} is good only from ${validFrom} on: callers refuse it until then.`);
  if (left <= 0)
    return problem("tls", `${name} has expired (${validTo}): put a new one in its place, and restart.`);
  if (left < ENDING_MS) {
    return warning(
      "tls",
      `${name} expires in ${describeDuration(left)}: put a new one in its place, and restart.`,
    );
  }
  return ok(
    "tls",
    `${name} and its key belong together, and are good for another ${describeDuration(left)}.`,
  );
}
