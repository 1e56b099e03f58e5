import { readCpuSeconds } from "../support/process-usage.ts";
import type { DriverOptions, DriverReport } from "./driver-report.ts";

/** Runs the bare driver in its own process, the same one for all rounds, like a server. */
export class BareDriver implements AsyncDisposable {
  readonly #process: Bun.Subprocess;
  #report = Promise.withResolvers<DriverReport>();

  constructor(options: DriverOptions) {
    const script = new URL("./bare-driver.ts", import.meta.url).pathname;
    this.#process = Bun.spawn([process.execPath, script, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (report: DriverReport) => this.#report.resolve(report),
      onExit: () => this.#report.reject(new Error("The bare driver exited.")),
    });
  }

  /** Reads for some seconds and measures the driver's CPU time per user. */
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
