import { nameFrom, toText, toTime } from "../conversions.ts";
import type { Source } from "../source.ts";

/** json-server: the file that it serves, such as db.json. The users have any fields. */
export const jsonServer: Source = {
  title: "json-server",
  formats: ["json"],
  collection: "users",
  id: "jsonServerId",
  expected: ["id"],
  rules: [
    {
      to: "name",
      from: [
        "name",
        "fullName",
        "full_name",
        "displayName",
        "firstName",
        "lastName",
        "first_name",
        "last_name",
        "username",
        "email",
        "id",
      ],
      read: nameFrom([[0], [1], [2], [3], [4, 5], [6, 7], [8], [9], [10]]),
      note: "the first that has a value; a first and a last name together",
    },
    { to: "email", from: ["email", "mail"], read: (values) => values.map(toText).find(Boolean) },
    { to: "jsonServerId", from: ["id"] },
    { to: "originalCreatedAt", from: ["createdAt"], read: toTime, note: "as RFC 3339" },
    { to: "originalUpdatedAt", from: ["updatedAt"], read: toTime, note: "as RFC 3339" },
  ],
  spread: [""],
  leftOut: {},
};
