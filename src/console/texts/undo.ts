import { formatNumber, formatUsers } from "./format.ts";

/** Some of the users whose change is undone. */
const some = (count: number, total: number) => (total === 1 ? "this user" : formatUsers(count));
const rest = (count: number) => (count === 1 ? "It stays as it is." : "They stay as they are.");

export const undo = {
  action: "Undo",
  nothing: "Nothing to undo",
  running: (count: number) => `Changing ${formatUsers(count)} back`,
  done: (users: string) => `${users} as before`,
  partly: (done: number, total: number) => `${formatNumber(done)} of ${formatUsers(total)} as before`,
  failed: (users: string) => `${users} not changed back`,
  changed: (count: number, total: number) =>
    `Someone else has changed ${some(count, total)} since. ${rest(count)}`,
  deleted: (count: number, total: number) => `Someone else has deleted ${some(count, total)}.`,
  refused: (count: number, reason: string) => `Roster refused ${formatUsers(count)}: ${reason}`,
  unknown: (count: number) => `No event says that ${formatUsers(count)} changed. ${rest(count)}`,
  stopped: (count: number) => `Stopped. ${formatUsers(count)} not changed back. Undo again to continue.`,
  cannot: {
    many: (limit: number) => `You can't undo this: it changes more than ${formatUsers(limit)}.`,
    scope:
      "You can't undo this: your key can't read the old values. That needs a key with the scope events:read.",
  },
};
