import { accessSync, constants, existsSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Config } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import { sqliteVersion } from "../../store/sqlite/inspect-file.ts";
import { type Finding, ok, warning } from "./finding.ts";
import { formatSize } from "./format-size.ts";

const LIMITS = "/proc/self/limits";
/** Beside its callers' connections, a service has its database, its log and itself. */
const OTHER_FILES = 100;
const LEAST_FREE = 100_000_000;

export function checkVersions(): Finding {
  return ok("versions", `Roster ${version}, Bun ${Bun.version}, SQLite ${sqliteVersion()}.`);
}

/** How many files, and so connections, may be open at once. Bun takes as many as it may have. */
export function checkLimits({ concurrency }: Config): Finding[] {
  const most = openFiles();
  if (most === undefined) return [];
  const shown = Number.isFinite(most) ? `${most}` : "any number of";
  return [
    most >= concurrency + OTHER_FILES
      ? ok("limits", `The service may have ${shown} files and connections open at once.`)
      : warning(
          "limits",
          `The service may have ${shown} files and connections open at once, and ROSTER_CONCURRENCY is ${concurrency}: raise the limit (LimitNOFILE= in a systemd unit, ulimit -n in a shell).`,
        ),
  ];
}

/** Undefined where nobody says. */
function openFiles(): number | undefined {
  const text = existsSync(LIMITS)
    ? /^Max open files +(\S+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1]
    : Bun.spawnSync(["sh", "-c", "ulimit -n"]).stdout.toString().trim();
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** SQLite sorts there what does not fit into memory, when it makes an index. */
export function checkTemp(): Finding {
  const folder = tmpdir();
  const otherwise = "make it usable, or name another with TMPDIR.";
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    return free < LEAST_FREE
      ? warning(
          "temp",
          `Only ${formatSize(free)} free in ${folder}, the folder for temporary files: ${otherwise}`,
        )
      : ok("temp", `Temporary files go to ${folder}, with ${formatSize(free)} free.`);
  } catch {
    return warning("temp", `${folder}, the folder for temporary files, cannot be written to: ${otherwise}`);
  }
}
