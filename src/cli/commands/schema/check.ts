import { readFlags } from "../../../config/config.ts";
import type { Command } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { readSchema, schemaFileFlag } from "../../flags/schema-flags.ts";
import { openClient, serviceFlags } from "../../flags/service-flags.ts";
import { formatViolation } from "../../output/format-violation.ts";
import { Progress } from "../../output/progress.ts";

const flags = { file: schemaFileFlag, ...serviceFlags } as const;

export const check: Command = {
  flags,
  description: `Shows how many users the schema does not allow, and the first 100 of them. Nothing is stored. If there are any, the
exit code is 1. The key needs the scopes schema:manage and users:read.`,
  examples: ["roster schema check schema.json", "roster schema show | roster schema check -"],

  async run(args, context) {
    const { env, stdout, stderr } = context;
    const { file, ...service } = readFlags(flags, args, env, "roster schema check --help");
    const schema = await readSchema(file, context);
    const progress = new Progress(stderr);
    const show = (done: number, total: number) =>
      progress.show({ step: "checking", done, total, unit: "users" });
    const { checked, violating, violations } = await openClient(service, env).schema.check(schema, {
      onProgress: ({ checked: done, total }) => show(done, total),
    });
    show(checked, checked);
    progress.end();
    for (const violation of violations) stdout.write(formatViolation(violation));
    if (violating > violations.length) stdout.write(`… and ${violating - violations.length} more.\n`);
    const users = checked === 1 ? "user" : "users";
    stdout.write(`${checked} ${users} checked, ${violating} not allowed by the schema.\n`);
    if (violating > 0) process.exitCode = exitCodes.failed.code;
  },
};
