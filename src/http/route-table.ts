/** The parameters of a path, by the names in its pattern. */
export type PathParameters = Readonly<Record<string, string>>;

export interface RouteMatch<Target> {
  readonly target: Target;
  readonly parameters: PathParameters;
}

interface Pattern<Target> {
  readonly path: string;
  readonly target: Target;
  /** The name of each parameter, with the index of its segment in the path. */
  readonly parameters: readonly (readonly [name: string, index: number])[];
}

interface Node<Target> {
  readonly children: Map<string, Node<Target>>;
  parameter: Node<Target> | undefined;
  pattern: Pattern<Target> | undefined;
}

export const NO_PARAMETERS: PathParameters = Object.freeze({});
const PARAMETER = /^\{(\w+)\}$/;

/**
 * Finds the target of a path among patterns such as `/groups/{id}/members/{userId}`. A fixed segment takes precedence
 * over a parameter, from left to right. A parameter is one segment and never empty. Fixed paths take one map look-up,
 * patterns with one parameter at the end take two.
 */
export class RouteTable<Target> {
  readonly #fixed = new Map<string, RouteMatch<Target>>();
  /** Patterns whose only parameter is the last segment, by the path before that segment. */
  readonly #trailing = new Map<string, Pattern<Target>>();
  /** All other patterns, as a tree of segments. */
  readonly #tree: Node<Target> = emptyNode();

  find(path: string): RouteMatch<Target> | undefined {
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    const slash = path.lastIndexOf("/");
    const trailing = path.endsWith("/") ? undefined : this.#trailing.get(path.slice(0, slash));
    const segments = path.split("/");
    const pattern = trailing ?? search(this.#tree, segments, 1);
    return pattern && createMatch(pattern, segments);
  }

  /** The target of a pattern. Adds the pattern with a new target if the table has none. */
  getOrAdd(path: string, createTarget: () => Target): Target {
    const segments = path.split("/");
    const parameters = segments.flatMap((segment, index) => {
      const name = PARAMETER.exec(segment)?.[1];
      return name === undefined ? [] : [[name, index] as const];
    });
    if (parameters.length === 0) {
      const match = this.#fixed.get(path) ?? { target: createTarget(), parameters: NO_PARAMETERS };
      this.#fixed.set(path, match);
      return match.target;
    }
    const isTrailing = parameters.length === 1 && parameters[0]?.[1] === segments.length - 1;
    const prefix = path.slice(0, path.lastIndexOf("/"));
    const node = isTrailing ? undefined : this.#getOrAddNode(segments);
    const existing = node ? node.pattern : this.#trailing.get(prefix);
    if (existing && existing.path !== path) {
      throw new Error(`${path} matches the same paths as ${existing.path}.`);
    }
    const pattern = existing ?? { path, target: createTarget(), parameters };
    if (node) node.pattern = pattern;
    else this.#trailing.set(prefix, pattern);
    return pattern.target;
  }

  #getOrAddNode(segments: readonly string[]): Node<Target> {
    let node = this.#tree;
    for (const segment of segments.slice(1)) {
      const isParameter = PARAMETER.test(segment);
      const next = (isParameter ? node.parameter : node.children.get(segment)) ?? emptyNode();
      if (isParameter) node.parameter = next;
      else node.children.set(segment, next);
      node = next;
    }
    return node;
  }
}

function emptyNode<Target>(): Node<Target> {
  return { children: new Map(), parameter: undefined, pattern: undefined };
}

function search<Target>(
  node: Node<Target>,
  segments: readonly string[],
  index: number,
): Pattern<Target> | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.pattern;
  const child = node.children.get(segment);
  const found = child && search(child, segments, index + 1);
  if (found || segment === "" || !node.parameter) return found;
  return search(node.parameter, segments, index + 1);
}

function createMatch<Target>(
  { target, parameters }: Pattern<Target>,
  segments: readonly string[],
): RouteMatch<Target> {
  const values: Record<string, string> = {};
  for (const [name, index] of parameters) values[name] = decodeSegment(segments[index] ?? "");
  return { target, parameters: values };
}

/** Returns a segment with invalid percent-encoding unchanged. */
function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
