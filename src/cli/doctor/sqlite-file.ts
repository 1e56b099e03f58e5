import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { formatSize } from "./format-size.ts";

const MB = 1_000_000;
const MIN_FREE = 100 * MB;
const ENOUGH_FREE = 1000 * MB;

/** Linux's numbers of network file systems, where SQLite's write-ahead log does not work. */
const networkFileSystems = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
]);

/** Checks the path, the permissions and the disk of an SQLite file, which may not exist yet. */
export function checkFile(path: string): Finding[] {
  const folder = nearestFolder(path);
  const file = existsSync(path) ? statSync(path) : undefined;
  return [
    checkWritable(path, folder, file),
    ...(file ? [...checkOwners(path, file), checkPermissions(path, file)] : []),
    checkDisk(path, folder, file?.size ?? 0),
  ];
}

/** The closest existing folder of the path. */
function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

function checkWritable(path: string, folder: string, file: Stats | undefined): Finding {
  if (file?.isDirectory())
    return problem(
      "file",
      `${path} is a folder: choose a file in it with DATABASE_URL, like ${join(path, "roster.db")}.`,
    );
  if (file && !file.isFile())
    return problem("file", `${path} is not a file: choose another with DATABASE_URL.`);
  const { R_OK, W_OK, X_OK } = constants;
  const blocked = !hasAccess(folder, W_OK | X_OK)
    ? folder
    : file && !hasAccess(path, R_OK | W_OK)
      ? path
      : undefined;
  if (!statSync(folder).isDirectory())
    return problem("file", `${folder} is not a folder: choose another file with DATABASE_URL.`);
  if (blocked !== undefined) {
    return problem(
      "file",
      `This user cannot write to ${blocked}: grant access, or choose another file with DATABASE_URL.`,
    );
  }
  const what = file ? `${path} (${formatSize(file.size)}) and its folder` : folder;
  return ok("file", `This user can write to ${what}.`);
}

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Root can write to everything, and may leave files that the service's user cannot write to. */
function checkOwners(path: string, file: Stats): Finding[] {
  const foreign = ["-wal", "-shm"]
    .map((suffix) => path + suffix)
    .filter((sibling) => existsSync(sibling) && statSync(sibling).uid !== file.uid);
  const findings = foreign.map((sibling) =>
    problem(
      "file",
      `${sibling} and ${path} belong to different users: stop the service, and \`chown\` both to the user of the service.`,
    ),
  );
  const isRoot = process.getuid?.() === 0;
  return isRoot && file.uid !== 0
    ? [
        ...findings,
        warning(
          "file",
          `You are root, and ${path} belongs to user ${file.uid}: run roster doctor as the user of the service.`,
        ),
      ]
    : findings;
}

function checkPermissions(path: string, file: Stats): Finding {
  const readable = (file.mode & 0o044) !== 0 && isReachable(path);
  if (!readable) return ok("permissions", `Only the owner can read ${path}.`);
  const who = (file.mode & 0o004) !== 0 ? "Every user of this machine" : "The whole group of the file";
  return warning("permissions", `${who} can read ${path}: chmod 600 ${path}`);
}

/** Whether other users can enter all folders of the path. */
function isReachable(path: string): boolean {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o011) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function checkDisk(path: string, folder: string, size: number): Finding {
  const { bavail, bsize, type } = statfsSync(folder);
  const network = networkFileSystems.get(type >>> 0);
  if (network !== undefined) {
    return problem(
      "disk",
      `${path} is on a network file system (${network}), where SQLite can lose data: choose a local disk with DATABASE_URL.`,
    );
  }
  const free = bavail * bsize;
  const freeSpace = `${formatSize(free)} free at ${folder}`;
  if (free < MIN_FREE)
    return problem(
      "disk",
      `Only ${freeSpace}: free some space. When the disk is full, writes get a 503 response.`,
    );
  if (free < Math.max(size, ENOUGH_FREE)) {
    const why = free < size ? "less than a copy of the database needs" : "which is low";
    return warning("disk", `${freeSpace}, ${why}: free some space, or choose a larger disk.`);
  }
  return ok("disk", `${freeSpace}.`);
}
