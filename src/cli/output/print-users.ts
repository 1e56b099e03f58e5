import type { User } from "../../client/index.ts";
import { readPath } from "../../domain/projection.ts";
import type { Screen } from "../command.ts";
import type { Column, Output } from "../flags/output-flag.ts";
import { pickColumns } from "./columns.ts";
import { JsonList } from "./json-list.ts";
import { printable } from "./printable.ts";
import { formatUserTable, UserTable } from "./user-table.ts";

/** What `--output` and `--columns` say. */
interface UserOutput {
  readonly output: Output | undefined;
  readonly columns: readonly Column[] | undefined;
}

interface UsersOutput extends UserOutput {
  /** The fields that the service returns, if not all: without `columns`, these are the columns of tables and CSV. */
  readonly fields?: readonly Column[] | undefined;
}

/** Prints users part by part. */
export class UserPrinter {
  readonly #stdout: Screen;
  readonly #output: Output;
  readonly #columns: readonly Column[] | undefined;
  readonly #table: UserTable;
  readonly #json: JsonList;
  /** The columns that no user has had yet. */
  readonly #missing: Set<Column>;
  #csvStarted = false;
  /** Users that wait for the end: without `columns`, the head of CSV depends on all of them. */
  readonly #waiting: User[] = [];

  constructor(stdout: Screen, { output, columns: requested, fields }: UsersOutput) {
    this.#stdout = stdout;
    this.#output = output ?? (stdout.isTTY ? "table" : "ndjson");
    const columns = requested ?? (this.#output === "table" || this.#output === "csv" ? fields : undefined);
    this.#columns = columns;
    this.#table = new UserTable(stdout, columns);
    this.#json = new JsonList(this.#output === "json");
    this.#missing = new Set(columns);
  }

  async print(users: readonly User[]): Promise<void> {
    for (const column of this.#missing) {
      if (users.some((user) => readPath(user, column) !== undefined)) this.#missing.delete(column);
    }
    if (this.#output === "csv" && !this.#columns) this.#waiting.push(...users);
    else await this.#write(await this.#format(users));
  }

  /** Prints the rest. Returns the requested columns that no user has. */
  async end(): Promise<string[]> {
    if (this.#waiting.length > 0) await this.#write(await this.#formatCsv(this.#waiting));
    await this.#write(this.#output === "json" ? this.#json.end() : "");
    return [...this.#missing].map((column) => column.join("."));
  }

  async #format(users: readonly User[]): Promise<string> {
    switch (this.#output) {
      case "table":
        return users.length === 0 ? "" : this.#table.format(users);
      case "csv":
        return this.#formatCsv(users);
      default:
        return this.#json.add(users.map((user) => select(user, this.#columns)));
    }
  }

  async #formatCsv(users: readonly User[]): Promise<string> {
    const { allColumns, formatCsv, formatCsvHead } = await import("./user-csv.ts");
    const columns = this.#columns ?? allColumns(users);
    const head = this.#csvStarted ? "" : formatCsvHead(columns);
    this.#csvStarted = true;
    return head + formatCsv(users, columns);
  }

  async #write(text: string): Promise<void> {
    if (text !== "" && !this.#stdout.write(text)) await this.#stdout.drained();
  }
}

/** Prints one user: as indented JSON on a terminal and on one line in a pipe, unless `output` says otherwise. */
export async function printUser(stdout: Screen, user: User, { output, columns }: UserOutput): Promise<void> {
  switch (output ?? (stdout.isTTY ? "json" : "ndjson")) {
    case "table":
      stdout.write(formatUserTable(stdout, user, columns));
      break;
    case "csv": {
      const printer = new UserPrinter(stdout, { output: "csv", columns });
      await printer.print([user]);
      await printer.end();
      break;
    }
    case "json":
      stdout.write(`${JSON.stringify(select(user, columns), undefined, 2)}\n`);
      break;
    default:
      stdout.write(`${JSON.stringify(select(user, columns))}\n`);
  }
}

/** Prints the user after a change. The user is undefined if the key must not read it: a terminal then gets a line of text. */
export async function printChangedUser(
  stdout: Screen,
  id: number,
  user: User | undefined,
  options: UserOutput,
): Promise<void> {
  if (user) await printUser(stdout, user, options);
  else if (stdout.isTTY && options.output === undefined) {
    stdout.write(`User ${id} is saved. Your key lacks the scope users:read, so the user is not shown.\n`);
  }
}

/** For example `user 7, Ada <ada@example.com>`. */
export function describeUser({ id, name, email }: User): string {
  return printable(`user ${id}, ${name}${email === undefined ? "" : ` <${email}>`}`);
}

function select(user: User, columns: readonly Column[] | undefined): unknown {
  return columns ? pickColumns(user, columns) : user;
}
