import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../trial/program.ts";
import { EPOCH, findProgram, PASSWORD, type Recorder, run } from "./recorder.ts";

const BASE = "dc=example,dc=org";
const ADMIN = `cn=admin,${BASE}`;
const schemas = ["core", "cosine", "inetorgperson", "nis"];

/** An empty value is possible only in attributes of the syntax IA5 String, such as gecos. */
const entries = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,${BASE}
objectClass: organizationalUnit
ou: people

dn: uid=ada,ou=people,${BASE}
objectClass: inetOrgPerson
objectClass: posixAccount
uid: ada
cn: Ada Lovelace
sn: Lovelace
givenName: Ada
mail: ada@example.com
mail: countess@example.com
employeeNumber: ${EPOCH}
gecos:
uidNumber: 1000
gidNumber: 1000
homeDirectory: /home/ada
userPassword: ${PASSWORD}
jpegPhoto:: ${Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1]).toString("base64")}

dn: uid=zoë,ou=people,${BASE}
objectClass: inetOrgPerson
uid: zoë
cn: Zoë Müller
sn: Müller
description: A text that is long enough for ldapsearch to fold its line after seventy-eight columns.

dn: cn=staff,${BASE}
objectClass: groupOfNames
cn: staff
member: uid=ada,ou=people,${BASE}
`;

/** The entries with their operational attributes, as ldapsearch and slapcat write them. */
export const openldap: Recorder = {
  needs: {
    slapd: "Debian: slapd",
    slapcat: "Debian: slapd",
    ldapadd: "Debian: ldap-utils",
    ldapsearch: "Debian: ldap-utils",
  },
  async record(server) {
    mkdirSync(join(server.folder, "data"));
    const folder = ["/etc/ldap/schema", "/etc/openldap/schema"].find((path) => existsSync(path));
    const modules = ["/usr/lib/ldap", "/usr/lib/openldap"].find((path) =>
      existsSync(join(path, "back_mdb.so")),
    );
    const configuration = server.write(
      "slapd.conf",
      `${schemas.map((name) => `include ${folder}/${name}.schema\n`).join("")}${
        modules === undefined ? "" : `modulepath ${modules}\nmoduleload back_mdb\n`
      }database mdb
suffix "${BASE}"
rootdn "${ADMIN}"
rootpw ${PASSWORD}
directory ${join(server.folder, "data")}
`,
    );
    const port = await freePort();
    const url = `ldap://127.0.0.1:${port}`;
    await server.start([findProgram("slapd") ?? "slapd", "-d", "0", "-f", configuration, "-h", url], port);
    const as = ["-x", "-H", url, "-D", ADMIN, "-w", PASSWORD];
    await run(["ldapadd", ...as], { input: entries });
    const searched = await run(["ldapsearch", ...as, "-b", BASE, "*", "+"]);
    await server.stop();
    return { "openldap.ldif": searched, "slapcat.ldif": await run(["slapcat", "-f", configuration]) };
  },
};
