/** Which Nodes no Machine knows of. */

export interface NodeFact {
  name: string;
  /** Milliseconds. */
  createdAt: number;
  isMarked: boolean;
  hasFinalizer: boolean;
  /** Name of the Machine by its label; absent: none. */
  machineName?: string;
  /** It says that its Machine is in another namespace. Default false. */
  isOfOthers?: boolean;
}

export interface MachineFact {
  name: string;
  /** Name of its Node, once that is known. */
  nodeName?: string;
  creationTimeoutSeconds: number;
}

export interface UnmanagedNodesInput {
  nodes: readonly NodeFact[];
  machines: readonly MachineFact[];
  creationTimeoutSeconds: number;
  /** Milliseconds. */
  now: number;
}

export interface UnmanagedNodesPlan {
  /** How many no Machine knows of, marked before or now. */
  unmanaged: number;
  /** To be marked, and to lose our finalizer: no other client will ever take it off. */
  mark: string[];
  /** To lose the mark. */
  clear: string[];
}

/**
 * A Node of two Machines is left as it is, and one of another namespace to the check there. A Node
 * without a Machine may be that of one whose create is still under way, so it is given as long as
 * the most patient of these has.
 */
export function planUnmanagedNodes(input: UnmanagedNodesInput): UnmanagedNodesPlan {
  const { nodes, machines, now } = input;
  const names = new Set(machines.map(({ name }) => name));
  const owners = new Map<string, number>();
  for (const { nodeName } of machines) {
    if (nodeName !== undefined) owners.set(nodeName, (owners.get(nodeName) ?? 0) + 1);
  }
  const patienceMs = patienceOf(input) * 1_000;
  const isOwned = ({ name, machineName }: NodeFact): boolean =>
    owners.has(name) || (machineName !== undefined && names.has(machineName));
  const unmanaged = nodes
    .filter((node) => !isOwned(node) && node.isOfOthers !== true)
    .filter(({ createdAt, isMarked }) => isMarked || now - createdAt > patienceMs);
  return {
    unmanaged: unmanaged.length,
    mark: namesOf(unmanaged.filter(({ isMarked, hasFinalizer }) => !isMarked || hasFinalizer)),
    clear: namesOf(nodes.filter(({ name, isMarked }) => isMarked && owners.get(name) === 1)),
  };
}

function patienceOf({ machines, creationTimeoutSeconds }: UnmanagedNodesInput): number {
  const waiting = machines.filter(({ nodeName }) => nodeName === undefined);
  return waiting.reduce(
    (longest, machine) => Math.max(longest, machine.creationTimeoutSeconds),
    creationTimeoutSeconds,
  );
}

function namesOf(nodes: readonly NodeFact[]): string[] {
  return nodes.map(({ name }) => name).toSorted();
}
