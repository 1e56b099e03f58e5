import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder under the system's own for temporary files, gone when it is disposed of. */
export class ScratchFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "roster-bench-"));

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
