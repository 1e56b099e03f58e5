import { accessSync, constants, existsSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Config } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import { sqliteVersion } from "../../store/sqlite/inspect-file.ts";
import { type Finding, ok, warning } from "./finding.ts";
import { formatSize } from "./format-size.ts";

const LIMITS = "/proc/self/limits";
/** Open files besides connections: the database, the log and the program. */
const OTHER_FILES = 100;
const MIN_FREE = 100_000_000;

export function checkVersions(): Finding {
  return ok("versions", `Roster ${version}, Bun ${Bun.version}, SQLite ${sqliteVersion()}.`);
}

/** Compares the limit on open files, and so connections, with ROSTER_CONCURRENCY. Bun raises its soft limit. */
export function checkLimits({ concurrency }: Config): Finding[] {
  const max = maxOpenFiles();
  if (max === undefined) return [];
  const shown = Number.isFinite(max) ? `${max}` : "any number of";
  return [
    max >= concurrency + OTHER_FILES
      ? ok("limits", `The service can open ${shown} files and connections.`)
      : warning(
          "limits",
          `The service can open ${shown} files and connections, but ROSTER_CONCURRENCY is ${concurrency}: raise the limit (LimitNOFILE= in a systemd unit, ulimit -n in a shell).`,
        ),
  ];
}

/** Undefined if the limit is unknown. */
function maxOpenFiles(): number | undefined {
  const text = existsSync(LIMITS)
    ? /^Max open files +(\S+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1]
    : Bun.spawnSync(["sh", "-c", "ulimit -n"]).stdout.toString().trim();
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** SQLite sorts in temporary files when it creates an index. */
export function checkTemp(): Finding {
  const folder = tmpdir();
  const advice = "free some space, or choose another with TMPDIR.";
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    return free < MIN_FREE
      ? warning(
          "temp",
          `Only ${formatSize(free)} free in ${folder}, the folder for temporary files: ${advice}`,
        )
      : ok("temp", `Temporary files go to ${folder}, with ${formatSize(free)} free.`);
  } catch {
    return warning(
      "temp",
      `Cannot write to ${folder}, the folder for temporary files: grant access, or choose another with TMPDIR.`,
    );
  }
}
