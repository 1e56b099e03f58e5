import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StoreError } from "./store-error.ts";

/** Suffix of a partial file, with the id of its process, and of SQLite's files beside it. */
const SUFFIX = /^\.(\d+)\.part(-wal|-shm|-journal)?$/;

/** A file that gets its final name when it is complete. Until then its name is `<name>.<process id>.part`. */
export class PartialFile {
  readonly #path: string;
  readonly #target: string;
  readonly #inode: number;

  /**
   * Creates an empty file that only its owner can read, and removes leftovers of killed processes. A replacement gets the
   * permissions of the file it replaces, unless `isPrivate`. Fails with a `StoreError`.
   */
  constructor(target: string, { isPrivate = false }: { readonly isPrivate?: boolean } = {}) {
    this.#target = followLink(target);
    this.#path = `${this.#target}.${process.pid}.part`;
    this.#inode = this.#withFileErrors(() => {
      this.#remove((pid) => pid === process.pid || !isAlive(pid));
      const file = openSync(this.#path, "wx", 0o600);
      try {
        if (!isPrivate && existsSync(this.#target)) copyPermissions(file, this.#target);
        return fstatSync(file).ino;
      } finally {
        closeSync(file);
      }
    });
  }

  /** The current path. Fails with a `StoreError` if another process has removed the file, perhaps as a leftover. */
  get path(): string {
    if (this.#isOurs()) return this.#path;
    throw new StoreError(`Another process has removed ${this.#path}: try again.`);
  }

  /**
   * Renames the file to its final name once its contents are on disk. Fails with a `StoreError`, also if the name is taken
   * and `replace` is false.
   */
  finish(replace: boolean): void {
    this.#withFileErrors(() => {
      sync(this.path);
      if (replace || !this.#linkTarget()) renameSync(this.path, this.#target);
      sync(dirname(this.#target));
    });
  }

  /** Fails if the name is taken, which a rename would not. Returns false if the file system has no hard links. */
  #linkTarget(): boolean {
    try {
      linkSync(this.path, this.#target);
      return true;
    } catch (error) {
      if (existsSync(this.#target)) throw new FileExistsError(this.#target);
      if (
        error instanceof Error &&
        "code" in error &&
        /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(String(error.code))
      )
        return false;
      throw error;
    }
  }

  /** Removes the file, unless `finish` has renamed it. */
  discard(): void {
    this.#remove((pid) => pid === process.pid);
  }

  #isOurs(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Removes the partial files whose process id matches. */
  #remove(matches: (pid: number) => boolean): void {
    const folder = dirname(this.#target);
    const name = basename(this.#target);
    for (const entry of readdirSync(folder).filter((entry) => entry.startsWith(name))) {
      const [, pid] = SUFFIX.exec(entry.slice(name.length)) ?? [];
      if (pid !== undefined && matches(Number(pid))) rmSync(join(folder, entry), { force: true });
    }
  }

  #withFileErrors<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fileError(error, this.#target);
    }
  }
}

/** The file that a symbolic link points to, which need not exist, or the path itself. */
export function followLink(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return resolve(path);
  }
}

/** A file that exists and may not be replaced. */
export class FileExistsError extends StoreError {
  constructor(path: string) {
    super(`${path} already exists: choose another file, or replace it with --force.`);
  }
}

/** Converts a file system error. */
export function fileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const { code } = error;
  const options = { cause: error };
  if (code === "ENOENT")
    return new StoreError(
      `The folder ${dirname(resolve(path))} does not exist: create it, or choose another path.`,
      options,
    );
  if (code === "ENOSPC") return new StoreError(`The disk of ${path} is full: free some space.`, options);
  return new StoreError(
    `Cannot write ${path} (${code}): choose another path, or give this user write permission.`,
    options,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Gives a file the mode and, if permitted, the owner of another one. */
function copyPermissions(file: number, original: string): void {
  const { mode, uid, gid } = statSync(original);
  fchmodSync(file, mode & 0o777);
  const current = fstatSync(file);
  if (current.uid === uid && current.gid === gid) return;
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Only root may change the owner: the file stays with this user.
  }
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Replaces a file by another one in the same folder, which gets its permissions. Fails with a `StoreError`. */
export function replaceFile(target: string, by: string): void {
  try {
    const file = openSync(by, "r+");
    try {
      copyPermissions(file, target);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(by, target);
    sync(dirname(target));
  } catch (error) {
    throw fileError(error, target);
  }
}
