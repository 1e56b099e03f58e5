/** Writes the table of SCIM's attributes into docs/scim.md. A test fails if the page is out of date. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { groupKind, type ResourceKind, userKind } from "../src/scim/attributes.ts";
import { mappingRows } from "../src/scim/mapping-rows.ts";

export const scimPagePath = join(import.meta.dir, "..", "docs", "scim.md");

/** The part of the page that has the tables. */
const tables = /(?<=<!-- mapping -->).*?(?=<!-- \/mapping -->)/s;

/** The page, with the tables of now. */
export function scimPage(): string {
  const text = [userKind, groupKind].map(mappingTable).join("\n");
  return readFileSync(scimPagePath, "utf8").replace(tables, () => `\n\n${text}\n`);
}

function mappingTable(kind: ResourceKind): string {
  const rows = mappingRows(kind).map(({ urn, names, record, note }) => {
    // As in the path of a patch.
    const path = [urn, names.join(".")].filter((part) => part !== undefined && part !== "").join(":");
    const fields = typeof record === "string" ? record : record.map(code).join(", ");
    return `| ${code(path)} | ${fields} | ${note} |\n`;
  });
  return `| ${kind.name} in SCIM | Roster | |\n|---|---|---|\n${rows.join("")}`;
}

const code = (name: string) => `\`${name}\``;

if (import.meta.main) {
  await Bun.write(scimPagePath, scimPage());
  console.log("docs/scim.md is up to date.");
}
