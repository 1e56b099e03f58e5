import { tmpdir } from "node:os";
import { join } from "node:path";

const OPENAPI_GENERATOR = "7.25.0";
const jarUrl = `https://repo.maven.apache.org/maven2/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;

/** The folder for generators and generated clients. */
export const cache = join(tmpdir(), "roster-generators");
/** The OpenAPI description that the generators read. */
export const description = join(cache, "openapi.json");
/** The one of `roster openapi --brief`. */
export const briefDescription = join(cache, "brief.json");
const jar = join(cache, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
const python = join(cache, "python", "bin", "python");
const packages = join(cache, "npm", "node_modules");
const programs = join(cache, "bin");
const bun = process.execPath;

/** What a generator runs on. The table of docs/api.md says the same. */
export interface Requirement {
  /** At least these versions. */
  readonly needs: string;
  /** Shell commands that print what the generator's own package says, and what they must print. */
  readonly stated: readonly (readonly [command: string, says: string])[];
}

const readEngine = (name: string) =>
  `${bun} -p 'require("${join(packages, name, "package.json")}").engines.node'`;

/** By the name in docs/api.md. */
export const requirements = {
  // Its package says nothing. Tried with Node.js 20, 22 and 24.
  "openapi-typescript": { needs: "Node.js 20", stated: [] },
  "@hey-api/openapi-ts": {
    needs: "Node.js 22.18",
    stated: [[readEngine("@hey-api/openapi-ts"), ">=22.18.0"]],
  },
  orval: { needs: "Node.js 22.18", stated: [[readEngine("orval"), ">=22.18.0"]] },
  "openapi-python-client": {
    needs: "Python 3.11",
    stated: [
      [
        `${python} -c 'from importlib.metadata import metadata; print(metadata("openapi-python-client")["Requires-Python"])'`,
        ">=3.11",
      ],
    ],
  },
  "oapi-codegen": {
    needs: "Go 1.25",
    stated: [
      [
        `go version -m ${join(programs, "oapi-codegen")} | awk '$1 == "mod" { print $2 "@" $3 }' | xargs go list -m -mod=mod -f '{{.GoVersion}}'`,
        "1.25",
      ],
    ],
  },
  "openapi-generator-cli": {
    needs: "Java 11, and from npm also Node.js 22",
    stated: [
      [`unzip -p ${jar} META-INF/MANIFEST.MF`, "Build-Jdk-Spec: 11"],
      ["npm view @openapitools/openapi-generator-cli engines.node", ">=22.0.0"],
    ],
  },
} as const satisfies Record<string, Requirement>;

export interface Generator {
  readonly name: string;
  readonly tool: keyof typeof requirements;
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
const compileTypeScript = `${bun} ${join(packages, "typescript", "bin", "tsc")} --noEmit --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler --types bun --typeRoots ${join(import.meta.dir, "..", "..", "node_modules", "@types")} main.ts`;
const openApiGenerator = (language: string, folder: string) => [
  `test -f ${jar} || { curl --fail --silent --show-error --output ${jar}.part ${jarUrl} && mv ${jar}.part ${jar}; }`,
  `java -jar ${jar} generate -i ${description} -g ${language} -o ${folder} --additional-properties=packageName=roster`,
];
/** The most lines of the Go client of the brief description. */
const MAX_GO_LINES = 15_000;
const oapiCodegen = (file: string) => [
  `GOBIN=${programs} go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest`,
  "go mod init example.org/roster",
  `${join(programs, "oapi-codegen")} -generate types,client -package roster ${file} > roster.go`,
  "go mod tidy",
  "go build -o main ./cmd",
];
const linkPackages = `ln -s ${packages} node_modules`;
/** Without a version, npm installs one for its own Node.js: orval 7 for Node.js 20. */
const orval = (dependency: string, flags: string) => [
  installNpm(`orval@latest typescript@5.9 ${dependency}`),
  linkPackages,
  `${bun} ${join(packages, ".bin", "orval")} --input ${description} --output ./roster.ts ${flags}`,
];
const goModule = "sed -i.original '1s#.*#module example.org/roster#' go.mod";

export const generators: readonly Generator[] = [
  {
    name: "openapi-generator-python",
    tool: "openapi-generator-cli",
    needs: ["java", "curl", "unzip", "python3", "npm"],
    client: ["openapi-generator.py", "main.py"],
    build: [
      ...openApiGenerator("python", "."),
      installPython("urllib3 pydantic python-dateutil typing-extensions"),
    ],
    run: `${python} main.py`,
  },
  {
    name: "openapi-generator-go",
    tool: "openapi-generator-cli",
    needs: ["java", "curl", "unzip", "go", "npm"],
    client: ["openapi-generator.go", "cmd/main.go"],
    build: [...openApiGenerator("go", "."), goModule, "rm -r test", "go build -o main ./cmd"],
    run: "./main",
  },
  {
    name: "openapi-generator-java",
    tool: "openapi-generator-cli",
    needs: ["java", "javac", "curl", "unzip", "mvn", "npm"],
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
    tool: "openapi-generator-cli",
    needs: ["java", "curl", "unzip", "npm"],
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
    tool: "oapi-codegen",
    needs: ["go"],
    client: ["oapi-codegen.go", "cmd/main.go"],
    build: oapiCodegen(description),
    run: "./main",
  },
  {
    name: "oapi-codegen-brief",
    tool: "oapi-codegen",
    needs: ["go"],
    client: ["oapi-codegen.go", "cmd/main.go"],
    build: [
      "sed -i.original 's/ApplicationproblemJSON404/ApplicationproblemJSONDefault/' cmd/main.go",
      ...oapiCodegen(briefDescription),
      `lines=$(wc -l < roster.go); echo "$lines lines, and at most ${MAX_GO_LINES} are allowed"; test "$lines" -le ${MAX_GO_LINES}`,
    ],
    run: "./main",
  },
  {
    name: "openapi-python-client",
    tool: "openapi-python-client",
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
    tool: "@hey-api/openapi-ts",
    needs: ["npm"],
    client: ["hey-api.ts", "main.ts"],
    build: [
      installNpm("@hey-api/openapi-ts@latest typescript@5.9"),
      `${bun} ${join(packages, ".bin", "openapi-ts")} -i ${description} -o roster -c @hey-api/client-fetch`,
      compileTypeScript,
    ],
    run: `${bun} main.ts`,
  },
  {
    name: "orval",
    tool: "orval",
    needs: ["npm"],
    client: ["orval.ts", "main.ts"],
    build: [...orval("axios", ""), compileTypeScript],
    run: `${bun} main.ts`,
  },
  {
    name: "orval-fetch",
    tool: "orval",
    needs: ["npm"],
    client: ["orval-fetch.ts", "main.ts"],
    build: [...orval("", "--client fetch"), compileTypeScript],
    run: `${bun} main.ts`,
  },
];
