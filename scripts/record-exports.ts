/**
 * Records the exports in test/commands/exports/recorded: starts each real server, creates users with unusual values, and saves
 * what the server exports. Skips systems whose programs are not in PATH, and says which programs are missing.
 *
 *   npx bun scripts/record-exports.ts [name …]
 *
 * Ids, times and hashes are different each time. The tests do not depend on them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonServer } from "./exports/json-server.ts";
import { keycloak } from "./exports/keycloak.ts";
import { openldap } from "./exports/openldap.ts";
import { pocketbase } from "./exports/pocketbase.ts";
import { findProgram, type Recorder } from "./exports/recorder.ts";
import { scim2Server } from "./exports/scim2-server.ts";
import { supabase } from "./exports/supabase.ts";
import { Program } from "./trial/program.ts";

const target = join(import.meta.dir, "../test/commands/exports/recorded");
const recorders: Readonly<Record<string, Recorder>> = {
  "json-server": jsonServer,
  keycloak,
  openldap,
  pocketbase,
  "scim2-server": scim2Server,
  supabase,
};

const requested = Bun.argv.slice(2);
const unknown = requested.filter((name) => !Object.hasOwn(recorders, name));
if (unknown.length > 0) {
  console.log(`Unknown: ${unknown.join(", ")}. Choose from: ${Object.keys(recorders).join(", ")}.`);
  process.exit(2);
}
mkdirSync(target, { recursive: true });
for (const [name, { needs, record }] of Object.entries(recorders)) {
  if (requested.length > 0 && !requested.includes(name)) continue;
  const missing = Object.entries(needs).filter(([program]) => findProgram(program) === null);
  if (missing.length > 0) {
    const programs = missing.map(([program, origin]) => `${program} (${origin})`);
    console.log(`Skipped ${name}: put into PATH ${programs.join(", ")}.`);
    continue;
  }
  const server = new Program();
  try {
    for (const [file, text] of Object.entries(await record(server))) {
      writeFileSync(join(target, file), text);
      console.log(`Recorded ${name}: ${file}, ${text.length.toLocaleString("en")} characters.`);
    }
  } finally {
    await server.end();
  }
}
process.exit(0);
