import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder. Disposing of it deletes it. */
export class ScratchFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "roster-bench-"));

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
