import type { ChangeOptions, CustomFields } from "../../client/index.ts";
import { readFlags } from "../../config/config.ts";
import type { Command } from "../command.ts";
import { oneRecordOutputFlags } from "../flags/output-flag.ts";
import { createKeyFlag, fieldsFlag, readFields, versionFlag } from "../flags/record-flags.ts";
import { openClient, serviceFlags } from "../flags/service-flags.ts";
import { printChangedRecord, printRecord } from "../output/print-records.ts";
import type { RecordAccess, RecordCalls } from "./record-access.ts";
import type { AnyRecord } from "./record-kind.ts";

/** The help of a command, which differs between users and groups. */
type Help = Pick<Command, "description" | "examples">;

/** Prints one record. */
export function getCommand<Item extends AnyRecord, Input, Patch, Word>(
  access: RecordAccess<Item, Input, Patch, Word>,
  help: Help,
): Command {
  const { kind } = access;
  const flags = { word: access.flag, ...oneRecordOutputFlags, ...serviceFlags };
  return {
    flags,
    ...help,
    async run(args, { env, stdout }) {
      const { word, output, columns, ...service } = readFlags(
        flags,
        args,
        env,
        `roster ${kind.many} get --help`,
      );
      const client = openClient(service, env);
      const id = await access.findId(client, word);
      await printRecord(stdout, kind, await access.calls(client).get(id), { output, columns });
    },
  };
}

export function createCommand<Item extends AnyRecord, Input, Patch, Word>(
  access: RecordAccess<Item, Input, Patch, Word>,
  help: Help,
): Command {
  const { kind } = access;
  const flags = {
    fields: fieldsFlag,
    idempotencyKey: createKeyFlag(kind),
    ...oneRecordOutputFlags,
    ...serviceFlags,
  } as const;
  return {
    flags,
    ...help,
    async run(args, context) {
      const { fields, idempotencyKey, output, columns, ...service } = readFlags(
        flags,
        args,
        context.env,
        `roster ${kind.many} create --help`,
      );
      const input = access.toInput(await readFields(kind, fields, context));
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      const created = await access.calls(openClient(service, context.env)).create(input, options);
      await printRecord(context.stdout, kind, created, { output, columns });
    },
  };
}

/** Replaces or updates one record by FIELD=VALUE arguments. */
export function changeCommand<Item extends AnyRecord, Input, Patch, Word>(
  access: RecordAccess<Item, Input, Patch, Word>,
  change: "replace" | "update",
  help: Help,
): Command {
  const { kind } = access;
  const flags = {
    word: access.flag,
    fields: fieldsFlag,
    version: versionFlag(kind),
    ...oneRecordOutputFlags,
    ...serviceFlags,
  };
  return {
    flags,
    ...help,
    async run(args, context) {
      const { word, fields, version, output, columns, ...service } = readFlags(
        flags,
        args,
        context.env,
        `roster ${kind.many} ${change} --help`,
      );
      const read = await readFields(kind, fields, context);
      const save = prepareChange(access, change, read);
      const client = openClient(service, context.env);
      const id = await access.findId(client, word);
      const record = await save(access.calls(client), id, version === undefined ? {} : { ifMatch: version });
      await printChangedRecord(context.stdout, { kind, id, record }, { output, columns });
    },
  };
}

/** Checks the fields before any request. Returns what sends them. */
function prepareChange<Item extends AnyRecord, Input, Patch, Word>(
  access: RecordAccess<Item, Input, Patch, Word>,
  change: "replace" | "update",
  fields: CustomFields,
) {
  type Save = (
    calls: RecordCalls<Item, Input, Patch>,
    id: number,
    options: ChangeOptions,
  ) => Promise<Item | undefined>;
  if (change === "replace") {
    const input = access.toInput(fields);
    return ((calls, id, options) => calls.replace(id, input, options)) satisfies Save;
  }
  const patch = access.toPatch(fields);
  return ((calls, id, options) => calls.update(id, patch, options)) satisfies Save;
}
