import { tmpdir } from "node:os";
import { join } from "node:path";

const OPENAPI_GENERATOR = "7.25.0";
const jarUrl = `https://repo.maven.apache.org/maven2/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}/openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;

/** The folder for generators and generated clients. */
export const cache = join(tmpdir(), "roster-generators");
/** The OpenAPI description that the generators read. */
export const description = join(cache, "openapi.json");
const jar = join(cache, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
const python = join(cache, "python", "bin", "python");
const packages = join(cache, "npm", "node_modules");
const programs = join(cache, "bin");
const bun = process.execPath;

export interface Generator {
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
  `test -f ${jar} || { curl --fail --silent --show-error --output ${jar}.part ${jarUrl} && mv ${jar}.part ${jar}; }`,
  `java -jar ${jar} generate -i ${description} -g ${language} -o ${folder} --additional-properties=packageName=roster`,
];
const goModule = "sed -i.original '1s#.*#module example.org/roster#' go.mod";

export const generators: readonly Generator[] = [
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
      `GOBIN=${programs} go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest`,
      "go mod init example.org/roster",
      `${join(programs, "oapi-codegen")} -generate types,client -package roster ${description} > roster.go`,
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
