import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { StoreError } from "./store-error.ts";

/** What SQLite may leave beside a file. */
const beside = ["", "-wal", "-shm", "-journal"] as const;

/** A file that gets its name when it is complete: until then it is beside it, as `….part`. */
export class PartFile {
  readonly path: string;
  readonly #target: string;
  readonly #inode: number;

  /** Begins an empty one, in the place of what another run may have left. Fails with a `StoreError`. */
  constructor(target: string) {
    // What has another name, too, is to keep it.
    this.#target = existsSync(target) ? realpathSync(target) : resolve(target);
    this.path = `${this.#target}.part`;
    this.#inode = this.#doing(() => {
      this.#removeAll();
      const file = openSync(this.path, "wx", 0o600);
      try {
        if (existsSync(this.#target)) makeLike(file, this.#target);
        return fstatSync(file).ino;
      } finally {
        closeSync(file);
      }
    });
  }

  /** Gives it its name, in the place of what has it now, once all of it is on disk. Fails with a `StoreError`. */
  finish(): void {
    this.#doing(() => {
      if (!this.#isOurs()) {
        throw new StoreError(`Another command writes to ${this.#target}, too: let that one finish.`);
      }
      sync(this.path);
      renameSync(this.path, this.#target);
      sync(dirname(this.#target));
    });
  }

  /** Removes it, unless it has its name or is somebody else's by now. */
  discard(): void {
    if (this.#isOurs()) this.#removeAll();
  }

  #isOurs(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  #removeAll(): void {
    for (const ending of beside) rmSync(this.path + ending, { force: true });
  }

  #doing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fileError(error, this.#target);
    }
  }
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
