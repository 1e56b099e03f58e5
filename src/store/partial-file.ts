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
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StoreError } from "./store-error.ts";

/** The process that writes it, and what SQLite may put beside it. */
const ENDING = /^\.(\d+)\.part(-wal|-shm|-journal)?$/;

/** A file that gets its name when it is complete: until then it is beside it, as `….<process>.part`. */
export class PartialFile {
  readonly #path: string;
  readonly #target: string;
  readonly #inode: number;

  /** Begins an empty one, and removes what runs that were killed have left. Fails with a `StoreError`. */
  constructor(target: string) {
    // What has another name, too, is to keep it.
    this.#target = existsSync(target) ? realpathSync(target) : resolve(target);
    this.#path = `${this.#target}.${process.pid}.part`;
    this.#inode = this.#doing(() => {
      this.#remove((maker) => maker === process.pid || !isAlive(maker));
      const file = openSync(this.#path, "wx", 0o600);
      try {
        if (existsSync(this.#target)) makeLike(file, this.#target);
        return fstatSync(file).ino;
      } finally {
        closeSync(file);
      }
    });
  }

  /** Where it is now. Fails with a `StoreError` where somebody has removed it, who may have taken it for left over. */
  get path(): string {
    if (this.#isOurs()) return this.#path;
    throw new StoreError(`Somebody has removed ${this.#path} meanwhile: try again.`);
  }

  /**
   * Gives it its name once all of it is on disk, and with `replace` in the place of what has it now. Fails with a
   * `StoreError`, also where it is had and may not be replaced.
   */
  finish(replace: boolean): void {
    this.#doing(() => {
      sync(this.path);
      if (replace || !this.#hasTaken()) renameSync(this.path, this.#target);
      sync(dirname(this.#target));
    });
  }

  /** Takes the name if nobody has it, at one stroke, as renaming does not. False where the disk knows no such thing. */
  #hasTaken(): boolean {
    try {
      linkSync(this.path, this.#target);
      return true;
    } catch (error) {
      if (existsSync(this.#target)) throw fileExists(this.#target);
      if (
        error instanceof Error &&
        "code" in error &&
        /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(String(error.code))
      )
        return false;
      throw error;
    }
  }

  /** Removes it, unless it has its name. */
  discard(): void {
    this.#remove((maker) => maker === process.pid);
  }

  #isOurs(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  #remove(isMeant: (maker: number) => boolean): void {
    const folder = dirname(this.#target);
    const name = basename(this.#target);
    for (const each of readdirSync(folder).filter((each) => each.startsWith(name))) {
      const [, maker] = ENDING.exec(each.slice(name.length)) ?? [];
      if (maker !== undefined && isMeant(Number(maker))) rmSync(join(folder, each), { force: true });
    }
  }

  #doing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fileError(error, this.#target);
    }
  }
}

/** Why a file is not made. */
export function fileExists(path: string): StoreError {
  return new StoreError(`${path} is there already: name another file, or replace it with --force.`);
}

/** What the system says of a file, as a `StoreError` that says what to do. */
export function fileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const { code } = error;
  const options = { cause: error };
  if (code === "ENOENT")
    return new StoreError(`There is no folder ${dirname(resolve(path))}: make it first.`, options);
  if (code === "ENOSPC")
    return new StoreError(`There is no room left on the disk of ${path}: make some.`, options);
  return new StoreError(
    `Cannot write ${path} (${code}): choose another place, or give this user permission.`,
    options,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It may be somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Who could read and write the other can do so with this one, as far as we may decide that. */
function makeLike(file: number, other: string): void {
  const { mode, uid, gid } = statSync(other);
  fchmodSync(file, mode & 0o777);
  const ours = fstatSync(file);
  if (ours.uid === uid && ours.gid === gid) return;
  try {
    fchownSync(file, uid, gid);
  } catch {
    // It stays ours, as any file that we make.
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
