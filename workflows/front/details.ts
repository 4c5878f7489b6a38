/** The page of a mirror in the Temporal UI. */
import type { SyncOutcome } from '../contracts/front-activities.ts';
import type { NamespacedName } from '../contracts/references.ts';

/** What the last pass found, or why it failed. */
export interface LastPass extends Omit<SyncOutcome, 'state'> {
  state: SyncOutcome['state'] | 'failed';
  /** When it ended, milliseconds. */
  at: number;
}

interface FrontPage {
  pass: LastPass;
  /** When the next one comes without news, milliseconds. */
  until: number;
  /** Id of the workflow of our MachineDeployment. */
  ours: string;
}

const inWords: Record<LastPass['state'], string> = {
  current: 'both sides say the same',
  waits: 'waits',
  notServed: 'is not served',
  gone: 'is gone',
  failed: 'the last pass failed',
};

/** Markdown. */
export function frontDetails(
  { namespace, name }: NamespacedName,
  { pass, until, ours }: FrontPage,
): string {
  const { state, reason, machines, writes, at } = pass;
  const resource = 'machinedeployments.cluster.k8s.io';
  return [
    `### MachineDeployment ${namespace}/${name} of cluster.k8s.io`,
    `- **State:** ${inWords[state]}${reason === undefined ? '' : `: ${reason}`}`,
    `- **Machines:** ${machines}`,
    `- **Last pass:** ${new Date(at).toISOString()}, ${writes} writes`,
    `- **Next pass:** with the next change, or at ${new Date(until).toISOString()}`,
    `- **Mirror:** workflow \`${ours}\``,
    '',
    'What you can do:',
    '',
    `    kubectl -n ${namespace} describe ${resource} ${name}`,
    `    kubectl -n ${namespace} scale ${resource} ${name} --replicas=N`,
  ].join('\n');
}
