import { describe, test } from "bun:test";

interface Definers {
  test(name: string, body: () => Promise<unknown>, timeout?: number): void;
  describe(name: string, body: () => void): void;
}

export const SKIPPED = "[skipped: ";

/**
 * `test` and `describe` for tests that need more than every machine has. If the requirement is not met, they skip and add
 * the reason to the name: `npm test` lists the reasons at the end, and fails on skipped tests without a reason.
 */
export function requirement(met: boolean, reason: string): Definers {
  if (met) return { test, describe };
  const suffix = ` ${SKIPPED}${reason}]`;
  return {
    test: (name, body) => test.skip(name + suffix, body),
    describe: (name, body) => describe.skip(name + suffix, body),
  };
}

export const requireProgram = (program: string): Definers =>
  requirement(Bun.which(program) !== null, `${program} is not installed`);
