/**
 * Baseline for imports: inserts users into an empty Roster database with prepared statements, 500 users per durable
 * transaction: `bun bare-sqlite.ts PATH WARM-UP USERS`. Prints a `BareReport`.
 */
import { searchText } from "../../src/store/lists/search-text.ts";
import { connect, openDatabase } from "../../src/store/sqlite/database.ts";
import { prepareWrites, termColumns } from "../../src/store/sqlite/write-statements.ts";
import { measureInserts } from "./bare-inserts.ts";

const BATCH = 500;

const [path = "", warmUp = "", users = ""] = process.argv.slice(2);
openDatabase(path, 5000).close();
const db = connect(path, 5000);
const { users: userStatements, values, search, directory } = prepareWrites(db);

let count = 0;
const insert = (first: number, last: number) =>
  measureInserts(
    first,
    last,
    BATCH,
    (batch) =>
      batch.map((user) => {
        const { row, terms } = user;
        return {
          id: row.id,
          columns: [row.id, 1, row.json, row.updatedAt, row.updatedAt, null, ...termColumns(user)] as const,
          values: terms.values,
          text: searchText(terms),
        };
      }),
    (rows) => {
      db.run("BEGIN IMMEDIATE");
      for (const { id, columns, values: customValues, text } of rows) {
        userStatements.insert.run(...columns);
        for (const { field, value, exact } of customValues) values.insert.run(field, value, id, exact);
        search.insert.run(id, text);
        count++;
      }
      directory.update.run(count, count);
      db.run("COMMIT");
    },
  );

await insert(1, Number(warmUp));
const report = await insert(Number(warmUp) + 1, Number(warmUp) + Number(users));
db.close();
console.log(JSON.stringify(report));
