import { SQL } from "bun";

/** The rows and sequences of a database. Its tables come from the migrations of the version that wrote it. */
export interface Dump {
  /** The statements that created the tables. */
  readonly statements: readonly string[];
  /** The rows of each table, as JSON. */
  readonly rows: Readonly<Record<string, string>>;
  /** The last value of each sequence that has given one. */
  readonly sequences: Readonly<Record<string, string>>;
}

export async function dumpDatabase(url: string, statements: readonly string[]): Promise<Dump> {
  const sql = new SQL(url, { max: 1 });
  const names = (kind: string): Promise<string[][]> =>
    sql
      .unsafe(
        `SELECT relname::text FROM pg_class WHERE relnamespace = 'roster'::regnamespace AND relkind = '${kind}' ORDER BY 1`,
      )
      .values();
  const rows: Record<string, string> = {};
  for (const [name = ""] of await names("r")) {
    const [row] = await sql.unsafe(`SELECT coalesce(json_agg(t), '[]')::text FROM roster.${name} t`).values();
    rows[name] = String(row?.[0]);
  }
  const sequences: Record<string, string> = {};
  for (const [name = ""] of await names("S")) {
    const [row] = await sql.unsafe(`SELECT last_value::text, is_called FROM roster.${name}`).values();
    if (row?.[1]) sequences[name] = String(row[0]);
  }
  await sql.close();
  return { statements, rows, sequences };
}

export async function loadDump(url: string, { statements, rows, sequences }: Dump): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  for (const statement of statements) await sql.unsafe(statement).simple();
  for (const [name, json] of Object.entries(rows)) {
    // The dump also has the rows that triggers have written.
    await sql.unsafe(`ALTER TABLE roster.${name} DISABLE TRIGGER USER`);
    await sql.unsafe(`DELETE FROM roster.${name}`);
    await sql.unsafe(
      `INSERT INTO roster.${name} SELECT * FROM json_populate_recordset(NULL::roster.${name}, $1::text::json)`,
      [json],
    );
    await sql.unsafe(`ALTER TABLE roster.${name} ENABLE TRIGGER USER`);
  }
  for (const [name, value] of Object.entries(sequences)) {
    await sql.unsafe(`SELECT setval('roster.${name}', ${value})`);
  }
  await sql.close();
}
