import { closeSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { requirement } from "../requirements.ts";

const compiler = ["cc", "gcc", "clang"].find((name) => Bun.which(name) !== null);

/** Faults need a library that is preloaded into the service. */
export const requireDiskFaults = requirement(
  process.platform === "linux" && compiler !== undefined,
  "disk faults need Linux and a C compiler",
);

const MODES = {
  "failed flushes": "f",
  "EIO on writes": "e",
  "a full disk": "n",
  "short writes": "s",
  "short writes followed by EIO": "t",
} as const;

export type DiskFault = keyof typeof MODES;
export const diskFaults: readonly DiskFault[] = [
  "failed flushes",
  "EIO on writes",
  "a full disk",
  "short writes",
  "short writes followed by EIO",
];

/** Makes the disk of one service fail while it runs. See disk-faults.c. */
export class DiskFaults {
  /** The environment of the service. */
  readonly env: Record<string, string>;
  readonly #control: number;

  constructor(folder: string, database: string) {
    const library = join(folder, "disk-faults.so");
    const source = join(import.meta.dir, "disk-faults.c");
    const { exitCode, stderr } = Bun.spawnSync([
      compiler ?? "cc",
      "-shared",
      "-fPIC",
      "-O2",
      "-o",
      library,
      source,
      "-ldl",
    ]);
    if (exitCode !== 0) throw new Error(`The compiler failed: ${stderr}`);
    const control = join(folder, "control");
    writeFileSync(control, new Uint8Array(16).fill(0));
    this.#control = openSync(control, "r+");
    this.end();
    this.env = { LD_PRELOAD: library, FAULT_CONTROL: control, FAULT_FILES: database };
  }

  /** The number of calls that failed so far. */
  get failed(): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#control, bytes, 0, 8, 8);
    return Number(bytes.readBigUInt64LE());
  }

  /** From now on, this share of calls fails. */
  begin(fault: DiskFault, percent: number): void {
    this.#set(MODES[fault], percent);
  }

  end(): void {
    this.#set("0", 0);
  }

  close(): void {
    closeSync(this.#control);
  }

  #set(mode: string, percent: number): void {
    writeSync(this.#control, new Uint8Array([mode.charCodeAt(0), percent]), 0, 2, 0);
  }
}
