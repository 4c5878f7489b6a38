/**
 * Which instance a Machine of machine-controller has. It writes no providerID of a cloud to its
 * Machine: `kubermatic://PROVIDER/UID` at most, and that where no cloud controller manager gives
 * Nodes theirs (pkg/controller/machine at f1068332). So the Node of `status.nodeRef` says it.
 */
import type { Node } from '../../kube/objects/nodes.ts';
import type { KubermaticMachine, KubermaticMachineSet } from '../../workflows/api/kubermatic.ts';
import { kubermaticAnnotations, kubermaticLabels } from '../../workflows/api/kubermatic-names.ts';
import { controllerUidOf, isMirror, type MadeTemplate } from '../../workflows/plan/front/facts.ts';
import { providerTables } from './providers/index.ts';
import type { ProviderTable } from './providers/table.ts';

const madeUp = 'kubermatic://';

interface Translator {
  table: Pick<ProviderTable, 'providerID'>;
  providerSpec: Readonly<Record<string, unknown>>;
}

export interface FoundInstance {
  machine: KubermaticMachine;
  found: { value: string } | { fault: string };
}

interface MachinesAndNodes {
  machines: readonly KubermaticMachine[];
  /** By name: of the target cluster. */
  nodes: ReadonlyMap<string, Node>;
}

/** Those of a set that are not mirrored yet; none where faults of its template say why. */
export function instancesOf(
  { metadata, spec }: KubermaticMachineSet,
  made: MadeTemplate | undefined,
  { machines, nodes }: MachinesAndNodes,
): FoundInstance[] {
  const table = providerTables[spec.template?.spec.providerSpec.value?.cloudProvider ?? ''];
  if (!made || !table) return [];
  const { providerSpec } = made;
  return machines
    .filter((machine) => !isMirror(machine) && controllerUidOf(machine) === metadata.uid)
    .map((machine) => {
      const node = nodes.get(machine.status?.nodeRef?.name ?? '');
      return { machine, found: instanceOf(machine, node, { table, providerSpec }) };
    });
}

/** `node`: that of `status.nodeRef`; undefined: there is none. A fault is a sentence. */
export function instanceOf(
  machine: Pick<KubermaticMachine, 'metadata' | 'spec' | 'status'>,
  node: Node | undefined,
  { table, providerSpec }: Translator,
): { value: string } | { fault: string } {
  if (isOfAnother(machine, node)) {
    return {
      fault: `its Node ${node?.metadata.name} has label ${kubermaticLabels.ownedBy} with the UID of another Machine (an address that was used again?): set the label right, or delete the Machine`,
    };
  }
  const known = [machine.spec.providerID, node?.spec?.providerID].find(
    (id) => id !== undefined && id !== '' && !id.startsWith(madeUp),
  );
  if (known !== undefined) return table.providerID?.(known, providerSpec) ?? { value: known };
  return { fault: `its instance is not known, ${node ? unknownTo(node) : absent(machine)}` };
}

function isOfAnother({ metadata }: Pick<KubermaticMachine, 'metadata'>, node: Node | undefined) {
  const owner = node?.metadata.labels?.[kubermaticLabels.ownedBy];
  return owner !== undefined && owner !== metadata.uid;
}

function unknownTo({ metadata, spec }: Node): string {
  return `as Node ${metadata.name} has providerID "${spec?.providerID ?? ''}": write that of the instance to spec.providerID of the Machine; another one there has to be removed first, with annotation ${kubermaticAnnotations.bypassImmutability}=true`;
}

function absent({ status }: Pick<KubermaticMachine, 'status'>): string {
  const name = status?.nodeRef?.name;
  const why = name === undefined ? 'no Node has joined' : `its Node ${name} is gone`;
  return `as ${why}: wait until one has joined, or delete the Machine`;
}
