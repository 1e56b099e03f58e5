/**
 * Renders deploy/kubernetes/example with kustomize and validates every resource with kubeconform, in strict mode. Run
 * `npx bun scripts/try-kubernetes.ts`. KUSTOMIZE and KUBECONFORM name the programs if they are not on the PATH. Without internet
 * access, SCHEMAS and CRD_SCHEMAS are folders with JSON schemas of Kubernetes and of the Prometheus operator.
 */
import { join } from "node:path";

const CATALOG = "https://raw.githubusercontent.com/datreeio/CRDs-catalog/main/{{.Group}}";
const kustomize = process.env.KUSTOMIZE ?? Bun.which("kustomize");
const kubeconform = process.env.KUBECONFORM ?? Bun.which("kubeconform");
const { SCHEMAS, CRD_SCHEMAS = CATALOG } = process.env;

if (kustomize === null || kubeconform === null)
  console.log("Skipped: kustomize and kubeconform must be installed (go install).");
else {
  const example = join(import.meta.dir, "../deploy/kubernetes/example");
  const rendered = Bun.spawnSync([kustomize, "build", example], { stderr: "inherit" });
  const locations = [
    SCHEMAS === undefined ? "default" : `${SCHEMAS}/{{.ResourceKind}}{{.KindSuffix}}.json`,
    `${CRD_SCHEMAS}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`,
  ];
  const checked = Bun.spawnSync(
    [
      kubeconform,
      "-strict",
      "-summary",
      "-verbose",
      ...locations.flatMap((location) => ["-schema-location", location]),
    ],
    { stdin: rendered.stdout, stdout: "inherit", stderr: "inherit" },
  );
  process.exitCode = rendered.exitCode || checked.exitCode;
}
