import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { formatSize } from "./format-size.ts";

const MB = 1_000_000;
/** SQLite's log needs some room, and so do callers' writes until somebody has seen to it. */
const LEAST_FREE = 100 * MB;
const ENOUGH_FREE = 1000 * MB;

/** The magic numbers of file systems that SQLite's write-ahead log does not work on, as Linux gives them. */
const networks = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
]);

/** What is about an SQLite file on its disk, whether it is there already or not. */
export function checkFile(path: string): Finding[] {
  const folder = nearestFolder(path);
  const file = existsSync(path) ? statSync(path) : undefined;
  return [
    checkWritable(path, folder, file),
    ...(file ? [...checkOwners(path, file), checkPermissions(path, file)] : []),
    checkDisk(path, folder, file?.size ?? 0),
  ];
}

/** The folder that the file is in, or in which the service would make it. */
function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

function checkWritable(path: string, folder: string, file: Stats | undefined): Finding {
  if (file && !file.isFile()) return problem("file", `${path} is no file: choose another with DATABASE_URL.`);
  const { R_OK, W_OK, X_OK } = constants;
  const blocked = !isOpenTo(folder, W_OK | X_OK)
    ? folder
    : file && !isOpenTo(path, R_OK | W_OK)
      ? path
      : undefined;
  if (!statSync(folder).isDirectory())
    return problem("file", `${folder} is no folder: choose another file with DATABASE_URL.`);
  if (blocked !== undefined) {
    return problem(
      "file",
      `This user may not write to ${blocked}: give it the right to, or choose another file with DATABASE_URL.`,
    );
  }
  const what = file ? `${path} (${formatSize(file.size)}) and its folder` : folder;
  return ok("file", `This user may write to ${what}.`);
}

function isOpenTo(path: string, rights: number): boolean {
  try {
    accessSync(path, rights);
    return true;
  } catch {
    return false;
  }
}

/** Root may write to everything, and leaves behind what the service's user then may not. */
function checkOwners(path: string, file: Stats): Finding[] {
  const strangers = ["-wal", "-shm"]
    .map((end) => path + end)
    .filter((beside) => existsSync(beside) && statSync(beside).uid !== file.uid);
  const findings = strangers.map((beside) =>
    problem(
      "file",
      `${beside} belongs to another user than ${path}: stop the service, and \`chown\` it to the user that the service runs as.`,
    ),
  );
  const isRoot = process.getuid?.() === 0;
  return isRoot && file.uid !== 0
    ? [
        ...findings,
        warning(
          "file",
          `This is root, and ${path} belongs to user ${file.uid}: run roster doctor as the user that the service runs as, to know what that one may do.`,
        ),
      ]
    : findings;
}

function checkPermissions(path: string, file: Stats): Finding {
  const readable = (file.mode & 0o044) !== 0 && isOpen(path);
  if (!readable) return ok("permissions", `Only its owner can read ${path}.`);
  const who = (file.mode & 0o004) !== 0 ? "Every user of this machine" : "Its whole group";
  return warning("permissions", `${who} can read ${path}, and all users in it: chmod 600 ${path}`);
}

/** Whether others can come to where the file is. */
function isOpen(path: string): boolean {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o011) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function checkDisk(path: string, folder: string, size: number): Finding {
  const { bavail, bsize, type } = statfsSync(folder);
  const network = networks.get(type >>> 0);
  if (network !== undefined) {
    return problem(
      "disk",
      `${path} is on a network file system (${network}), where SQLite loses data: choose a local disk with DATABASE_URL.`,
    );
  }
  const free = bavail * bsize;
  const left = `${formatSize(free)} free at ${folder}`;
  if (free < LEAST_FREE)
    return problem("disk", `Only ${left}: make room, for when it is full, writes answer 503.`);
  if (free < Math.max(size, ENOUGH_FREE)) {
    const why = free < size ? "less than a copy of the database needs" : "not much";
    return warning("disk", `${left}, ${why}: make room, or choose a larger disk.`);
  }
  return ok("disk", `${left}.`);
}
