/** The pages of MachineSets and MachineDeployments in the Temporal UI. */
import type { NamespacedName } from '../contracts/references.ts';

export interface SetDetails {
  kind: 'MachineSet' | 'MachineDeployment';
  ref: NamespacedName;
  /** The next action, or what it waits for, in words. */
  next: string;
  /** Further lines, each a fact. */
  facts: string[];
}

/** Markdown. The UI draws tables without borders, so this is a list. */
export function setDetails({ kind, ref, next, facts }: SetDetails): string {
  const resource = kind.toLowerCase();
  return [
    `### ${kind} ${ref.namespace}/${ref.name}`,
    `- **Next:** ${next}`,
    ...facts.map((fact) => `- ${fact}`),
    '',
    'What you can do:',
    '',
    `    kubectl -n ${ref.namespace} describe ${resource} ${ref.name}`,
    `    kubectl -n ${ref.namespace} scale ${resource} ${ref.name} --replicas=N`,
  ].join('\n');
}
