import { readCpuSeconds } from "../support/process-usage.ts";

export interface DriverOptions {
  readonly url: string;
  /** Who is read is one of the users 1 to this. */
  readonly users: number;
  readonly connections: number;
  /** How many statements are under way at a time. */
  readonly statements: number;
  /** How many users one statement reads. */
  readonly together: number;
}

/** A request is a user that was read, however many a statement reads; an error is one that was not found. */
export interface DriverReport {
  readonly requests: number;
  readonly errors: number;
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The bare driver in a process of its own, which lasts over all rounds as a server does. */
export class BareDriver implements AsyncDisposable {
  readonly #process: Bun.Subprocess;
  #report = Promise.withResolvers<DriverReport>();

  constructor(options: DriverOptions) {
    const script = new URL("./bare-driver.ts", import.meta.url).pathname;
    this.#process = Bun.spawn([process.execPath, script, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (report: DriverReport) => this.#report.resolve(report),
      onExit: () => this.#report.reject(new Error("The bare driver has ended.")),
    });
  }

  /** Reads for so long, and says what that cost the driver's process a user. */
  async run(seconds: number): Promise<DriverReport & { readonly cpuMicros: number }> {
    const before = readCpuSeconds(this.#process.pid);
    this.#report = Promise.withResolvers();
    this.#process.send(seconds);
    const report = await this.#report.promise;
    return { ...report, cpuMicros: ((readCpuSeconds(this.#process.pid) - before) * 1e6) / report.requests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#report.promise.catch(() => undefined);
    this.#process.disconnect();
    await this.#process.exited;
  }
}
