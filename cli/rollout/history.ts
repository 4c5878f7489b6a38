/** `millwright rollout history`: the revisions of a MachineDeployment. */
import { stringify } from 'yaml';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { MachineSet, MachineTemplateSpec } from '../../workflows/api/machine-set.ts';
import { revisionOf } from '../../workflows/plan/machine-deployment/rollout/revisions.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readSetsOf } from '../objects/deployment-view.ts';
import { formatColumns } from '../terminal/columns.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';

export interface RolloutOptions extends ClusterOptions, OutputOptions {
  /** Name of the MachineDeployment. */
  name: string;
}

export interface HistoryOptions extends RolloutOptions {
  /** Only this one, in detail. */
  revision?: number | undefined;
}

export interface Revision {
  revision: number;
  set: string;
  class: string;
  replicas: number;
  isPresent: boolean;
  /** Annotation `kubernetes.io/change-cause`, as for Deployments. */
  changeCause: string | null;
}

export async function history(scope: ClusterScope, options: HistoryOptions): Promise<Answer> {
  const { sets, newSet } = await readSetsOf(scope, options.name);
  const revisions = revisionsOf(sets, newSet);
  if (options.revision !== undefined) {
    const set = sets.find((one) => numberOf(one) === options.revision);
    if (set) return detailsOf(set, options.name);
    throw new Error(
      `unable to find revision ${options.revision} of machinedeployment "${options.name}"; known are ${listOf(revisions)}`,
    );
  }
  const head = ['REVISION', 'CLASS', 'MACHINESET', 'REPLICAS', 'CHANGE-CAUSE'];
  const rows = revisions.map((one) => [
    String(one.revision),
    one.class,
    one.set,
    String(one.replicas),
    one.changeCause ?? '<none>',
  ]);
  const table = formatColumns(head, rows);
  return { text: `machinedeployment/${options.name}\n${table}`, data: revisions };
}

/** The last one last. */
export function revisionsOf(
  sets: readonly MachineSet[],
  newSet: MachineSet | undefined,
): Revision[] {
  return sets
    .filter((set) => numberOf(set) > 0)
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .map((set) => ({
      revision: numberOf(set),
      set: set.metadata.name,
      class: set.spec.template?.spec?.class?.name ?? '',
      replicas: set.spec.replicas ?? 0,
      isPresent: set === newSet,
      changeCause: set.metadata.annotations?.['kubernetes.io/change-cause'] ?? null,
    }));
}

function detailsOf(set: MachineSet, name: string): Answer {
  const data = { revision: numberOf(set), set: set.metadata.name, template: templateOf(set) };
  const text = `machinedeployment/${name} with revision #${data.revision}, MachineSet ${data.set}\n${stringify(data.template).trimEnd()}`;
  return { text, data };
}

/** Without the label that separates the machines of one set from those of another. */
function templateOf({ spec: { template = {} } }: MachineSet): MachineTemplateSpec {
  const { [labels.templateHash]: _hash, ...kept } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels: kept } };
}

export function numberOf({ metadata }: MachineSet): number {
  return revisionOf(metadata.annotations?.[annotations.revision]);
}

export function listOf(revisions: readonly Revision[]): string {
  return revisions.map(({ revision }) => revision).join(', ') || 'none';
}
