/**
 * Generates a client with each OpenAPI generator, compiles it, and creates, reads, updates, lists and deletes users with it.
 * Installs the generators into a folder for temporary files. Skips those whose toolchain is missing, with the reason.
 *
 *   npm run test:generators [name …]
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApi } from "../../src/contract/openapi.ts";
import { startService } from "../support/service.ts";

const OPENAPI_GENERATOR = "7.25.0";
const jarUrl = `https://repo.maven.apache.org/maven2/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;

const clients = join(import.meta.dir, "clients");
const cache = join(tmpdir(), "roster-generators");
const description = join(cache, "openapi.json");
const jar = join(cache, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
const python = join(cache, "python", "bin", "python");
const packages = join(cache, "npm", "node_modules");
const bun = process.execPath;

interface Generator {
  readonly name: string;
  /** Programs that have to be installed. */
  readonly needs: readonly string[];
  /** The program that calls the API, and its path beside the generated code. */
  readonly client: readonly [file: string, target: string];
  /** Shell commands that install, generate and compile, in the client's folder. */
  readonly build: readonly string[];
  readonly run: string;
}

const installPython = (names: string) =>
  `test -x ${python} || python3 -m venv ${join(cache, "python")}; ${python} -m pip install --quiet ${names}`;
const installNpm = (names: string) =>
  `npm install --silent --no-audit --no-fund --ignore-scripts --prefix ${join(cache, "npm")} ${names}`;
const compileTypeScript = `${bun} ${join(packages, "typescript", "bin", "tsc")} --noEmit --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler --lib esnext,dom --types bun --typeRoots ${join(import.meta.dir, "..", "..", "node_modules", "@types")} main.ts`;
const openApiGenerator = (language: string, folder: string) => [
  `test -f ${jar} || curl --fail --silent --output ${jar} ${jarUrl}`,
  `java -jar ${jar} generate -i ${description} -g ${language} -o ${folder} --additional-properties=packageName=roster`,
];
const goModule = "sed -i.original '1s#.*#module example.org/roster#' go.mod";

const generators: readonly Generator[] = [
  {
    name: "openapi-generator-python",
    needs: ["java", "curl", "python3"],
    client: ["openapi-generator.py", "main.py"],
    build: [
      ...openApiGenerator("python", "."),
      installPython("urllib3 pydantic python-dateutil typing-extensions"),
    ],
    run: `${python} main.py`,
  },
  {
    name: "openapi-generator-go",
    needs: ["java", "curl", "go"],
    client: ["openapi-generator.go", "cmd/main.go"],
    build: [...openApiGenerator("go", "."), goModule, "rm -r test", "go build -o main ./cmd"],
    run: "./main",
  },
  {
    name: "openapi-generator-java",
    needs: ["java", "javac", "curl", "mvn"],
    client: ["Main.java", "Main.java"],
    build: [
      ...openApiGenerator("java", "."),
      "mvn -q -B compile dependency:copy-dependencies -DoutputDirectory=target/lib",
      "javac -cp 'target/classes:target/lib/*' Main.java",
    ],
    run: "java -cp 'target/classes:target/lib/*:.' Main",
  },
  {
    name: "openapi-generator-typescript-fetch",
    needs: ["java", "curl", "npm"],
    client: ["typescript-fetch.ts", "main.ts"],
    build: [
      ...openApiGenerator("typescript-fetch", "roster"),
      installNpm("typescript@5.9"),
      compileTypeScript,
    ],
    run: `${bun} main.ts`,
  },
  {
    name: "oapi-codegen",
    needs: ["go"],
    client: ["oapi-codegen.go", "cmd/main.go"],
    build: [
      `GOBIN=${cache} go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest`,
      "go mod init example.org/roster",
      `${join(cache, "oapi-codegen")} -generate types,client -package roster ${description} > roster.go`,
      "go mod tidy",
      "go build -o main ./cmd",
    ],
    run: "./main",
  },
  {
    name: "openapi-python-client",
    needs: ["python3"],
    client: ["openapi-python-client.py", "main.py"],
    build: [
      installPython("openapi-python-client httpx attrs"),
      `${python} -m openapi_python_client generate --path ${description} --output-path roster --meta none`,
    ],
    run: `${python} main.py`,
  },
  {
    name: "hey-api",
    needs: ["npm"],
    client: ["hey-api.ts", "main.ts"],
    build: [
      installNpm("@hey-api/openapi-ts typescript@5.9"),
      `${bun} ${join(packages, ".bin", "openapi-ts")} -i ${description} -o roster -c @hey-api/client-fetch`,
      compileTypeScript,
    ],
    run: `${bun} main.ts`,
  },
  {
    name: "orval",
    needs: ["npm"],
    client: ["orval.ts", "main.ts"],
    build: [
      installNpm("orval typescript@5.9"),
      `${bun} ${join(packages, ".bin", "orval")} --input ${description} --output ./roster.ts --client fetch`,
      compileTypeScript,
    ],
    run: `${bun} main.ts`,
  },
];

const expected = {
  read: "ada@example.com",
  department: "engines",
  version: 2,
  pages: [2, 1],
  problem: "/problems/user-not-found",
};

mkdirSync(cache, { recursive: true });
writeFileSync(description, JSON.stringify(describeApi("1.2.3")));
const requested = Bun.argv.slice(2);
let failed = 0;
for (const generator of generators) {
  if (requested.length > 0 && !requested.includes(generator.name)) continue;
  const missing = generator.needs.filter((program) => Bun.which(program) === null);
  if (missing.length > 0) {
    console.log(`skipped  ${generator.name}: ${missing.join(", ")} is not installed`);
    continue;
  }
  const error = await tryGenerator(generator);
  if (error) failed++;
  console.log(error ? `failed   ${generator.name}: ${error}` : `passed   ${generator.name}`);
}
process.exit(failed === 0 ? 0 : 1);

/** Returns the error, if there is one. */
async function tryGenerator({ name, client: [file, target], build, run }: Generator): Promise<string> {
  const folder = join(cache, name);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  mkdirSync(join(folder, target, ".."), { recursive: true });
  cpSync(join(clients, file), join(folder, target));
  for (const command of build) {
    const { code, output } = await runShell(command, folder);
    if (code !== 0) return `${command}\n${output.slice(-4000)}`;
  }
  const service = await startService();
  const { code, output } = await runShell(`${run} ${service.url}`, folder);
  await service.stop();
  if (code !== 0 || !Bun.deepEquals(JSON.parse(output), expected)) return `${run}\n${output}`;
  return "";
}

async function runShell(command: string, cwd: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(["sh", "-c", `{ ${command}\n} 2>&1`], { cwd, stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  return { code: await child.exited, output };
}
