import Type, { type Static, type TSchema } from "typebox";
import { Integer } from "../scalars.ts";

/** How many days a response about daily counts can have. */
export const statsDays = { maximum: 366, default: 30 } as const;

const Day = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  format: "date",
  description: "A calendar day (UTC).",
});
const Count = (description: string) => Integer({ minimum: 0, description });

const History = <Day extends TSchema>(day: Day, description: string) =>
  Type.Object(
    {
      days: Type.Array(day, {
        minItems: 1,
        maxItems: statsDays.maximum,
        description: "Every day, oldest first. The last one is today.",
      }),
    },
    { description },
  );

/** The changes of the directory on one day. */
export const DailyStats = Type.Object(
  {
    date: Day,
    created: Count("Users created on this day."),
    deleted: Count("Users deleted on this day."),
    restored: Count("Deleted users restored on this day."),
    total: Count("Users at the end of the day; today: users now."),
  },
  { description: "What happened to the directory on one day." },
);
export type DailyStats = Static<typeof DailyStats>;

export const Stats = History(DailyStats, "The history of the directory, day by day.");
export type Stats = Static<typeof Stats>;

/** The requests of a key on one day. */
export const DailyUsage = Type.Object(
  { date: Day, requests: Count("Requests with the key on this day.") },
  { description: "The usage of a key on one day." },
);
export type DailyUsage = Static<typeof DailyUsage>;

export const UsageHistory = History(DailyUsage, "The usage of a key, day by day.");
export type UsageHistory = Static<typeof UsageHistory>;
