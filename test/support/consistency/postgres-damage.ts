import { SQL } from "bun";

/** How many values of the callers' own fields can be filtered on, counted from the records themselves. */
const OWN_VALUES = `SELECT count(*) FROM roster.users, json_each(users.json::json) AS member
  WHERE json_typeof(member.value) NOT IN ('object', 'array')
  AND member.key NOT IN ('id', 'name', 'email', 'version', 'createdAt', 'updatedAt')`;

/** What is wrong inside the database. */
export async function postgresDamage(url: string, users: number): Promise<string[]> {
  const sql = new SQL(url, { max: 1 });
  const faults: string[] = [];
  const expectFigure = async (query: string, expected: number) => {
    const [row] = await sql.unsafe(query).values();
    if (Number(row?.[0]) !== expected) faults.push(`${query}: ${row?.[0]}, not ${expected}`);
  };
  try {
    await expectFigure("SELECT count(*) FROM roster.users", users);
    await expectFigure("SELECT sum(users) FROM roster.user_counts", users);
    await expectFigure("SELECT count(*) FROM roster.user_search", users);
    await expectFigure(
      "SELECT count(*) FROM roster.user_search WHERE user_id NOT IN (SELECT id FROM roster.users)",
      0,
    );
    await expectFigure(
      "SELECT count(*) FROM roster.user_values WHERE user_id NOT IN (SELECT id FROM roster.users)",
      0,
    );
    await expectFigure(`SELECT (SELECT count(*) FROM roster.user_values) - (${OWN_VALUES})`, 0);
    await expectFigure(
      "SELECT count(*) FROM roster.users WHERE id > (SELECT last_value FROM roster.user_ids)",
      0,
    );
    return faults;
  } finally {
    await sql.close();
  }
}
