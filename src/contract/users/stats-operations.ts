import { mediaTypes, type Operation, type Parameter } from "../operation.ts";
import { Integer, withDefault } from "../scalars.ts";
import { Stats, statsDays } from "./stats-schemas.ts";

/** How many days a response has. */
export const daysParameter = {
  in: "query",
  name: "days",
  description: "How many days to return, up to today.",
  schema: withDefault(Integer({ minimum: 1, maximum: statsDays.maximum }), statsDays.default),
  example: 7,
  component: "Days",
} as const satisfies Parameter;

export const statsOperations = {
  readStats: {
    id: "readStats",
    method: "GET",
    path: "/api/stats",
    tag: "users",
    access: ["users:read"],
    summary: "Read daily statistics",
    description:
      "How many users were created, deleted and restored on each of the last days, and how many users there were. Days are calendar days in UTC. Each change counts on the day on which it was made.",
    parameters: [daysParameter],
    responses: {
      200: {
        description: "The last days, oldest first.",
        body: {
          type: mediaTypes.json,
          schema: Stats,
          examples: {
            "two days": {
              days: [
                { date: "2026-11-15", created: 12, deleted: 1, restored: 0, total: 480 },
                { date: "2026-11-16", created: 3, deleted: 3, restored: 1, total: 481 },
              ],
            },
          },
        },
      },
    },
    problems: ["invalid-query"],
  },
} as const satisfies Record<string, Operation>;
