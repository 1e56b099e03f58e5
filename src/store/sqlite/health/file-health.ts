import { statfs } from "node:fs/promises";
import { DatabaseUnavailable } from "../../../domain/database-unavailable.ts";
import type { StoreObserver } from "../../../domain/store.ts";
import { FileProblem, type FileProblemData } from "./file-problem.ts";

/** Time between two attempts to write while writes fail. */
const PROBE_MS = 1000;
/** After the disk was full, writes are tried again when it has this much space. */
const MIN_FREE_BYTES = 2 ** 20;

interface FileHealthOptions {
  readonly path: string;
  readonly observer: StoreObserver;
  /** Tries to write. */
  readonly probe: () => Promise<unknown>;
}

/**
 * Knows whether the file is damaged and whether writes work, and reports each change once. Damage is final: restoring a
 * backup requires a restart. While writes fail, a probe finds out when they work again, even if no caller writes.
 */
export class FileHealth {
  readonly #options: FileHealthOptions;
  #damage: FileProblemData | undefined;
  #writeFault: FileProblemData | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #probing = false;
  #closed = false;

  constructor(options: FileHealthOptions) {
    this.#options = options;
  }

  /** Why the service is not ready; undefined if it is. */
  get problem(): DatabaseUnavailable | undefined {
    const detail = this.#describe();
    if (detail === undefined) return undefined;
    const problem = new DatabaseUnavailable(detail);
    problem.reported = true;
    return problem;
  }

  /** Takes note of an error and returns it. */
  note<E>(error: E, writing: boolean): E {
    if (!(error instanceof FileProblem)) return error;
    if (error.file.fault === "damaged") this.#setDamage(error.file);
    else if (writing) this.#setWriteFault(error.file);
    else return error;
    error.reported = true;
    return error;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  #describe(): string | undefined {
    if (this.#damage) return this.#damage.detail;
    if (this.#writeFault?.fault === "full")
      return "Writes fail: the disk of the database is full. Reads work.";
    return this.#writeFault && "Writes fail: the database cannot use its disk.";
  }

  #setDamage(damage: FileProblemData): void {
    if (this.#damage) return;
    this.#damage = damage;
    this.#report("error", "the database is damaged: stop the service and restore a backup", damage.reason);
  }

  #setWriteFault(fault: FileProblemData): void {
    const previous = this.#writeFault;
    this.#writeFault = fault;
    if (previous?.fault === fault.fault) return;
    const message =
      fault.fault === "full"
        ? "writes to the database fail: its disk is full; free some space"
        : "writes to the database fail: check its disk and its permissions";
    this.#report("error", message, fault.reason);
    if (this.#timer || this.#closed) return;
    this.#timer = setInterval(() => void this.#probe(), PROBE_MS);
    this.#timer.unref();
  }

  /** Only a probe shows that writes work: other transactions may have nothing to write. */
  async #probe(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    try {
      if (await this.#hasSpace()) {
        await this.#options.probe();
        clearInterval(this.#timer);
        this.#timer = undefined;
        this.#writeFault = undefined;
        this.#report("info", "writes to the database work again");
      }
    } catch (error) {
      this.note(error, true);
    } finally {
      this.#probing = false;
    }
  }

  /** The log may have room for a probe on a full disk. */
  async #hasSpace(): Promise<boolean> {
    if (this.#writeFault?.fault !== "full") return true;
    const free = await readFreeBytes(this.#options.path);
    return free === undefined || free >= MIN_FREE_BYTES;
  }

  #report(level: "info" | "error", message: string, cause?: string): void {
    const { observer, path } = this.#options;
    observer.report?.(level, message, { database: path, ...(cause !== undefined && { cause }) });
  }
}

/** Free space on the disk of a file; undefined if the system does not tell. */
export async function readFreeBytes(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
