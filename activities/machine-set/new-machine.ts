/** The Machine that a MachineSet makes. */
import { annotations, apiVersion, finalizers } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { creationTimeoutOf } from '../../workflows/plan/machine-set/template-push.ts';
import { ownerReferenceOf } from './ownership.ts';

/**
 * With finalizer and priority from the first moment on: two writes fewer than setting them later.
 */
export function machineOf(set: MachineSet, name: string): object {
  const { metadata, spec: wanted = {} } = set.spec.template ?? {};
  // A new machine has no instance, and two cannot have the same.
  const { providerID: _none, ...spec } = wanted;
  const creationTimeout = set.metadata.annotations?.[annotations.effectiveCreationTimeout];
  const notes = {
    [annotations.priority]: '3',
    ...metadata?.annotations,
    ...(creationTimeout !== undefined && {
      [annotations.effectiveCreationTimeout]: creationTimeout,
    }),
  };
  return {
    apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace: set.metadata.namespace,
      generateName: `${set.metadata.name}-`,
      labels: metadata?.labels ?? {},
      annotations: notes,
      finalizers: [finalizers.machine],
      ownerReferences: [ownerReferenceOf(set)],
    },
    spec: { ...spec, creationTimeout: creationTimeoutOf(notes, spec) },
  };
}

/** MCM's reason in our words: without labels the set would not know its own machines again. */
export function templateRefusal({ spec }: MachineSet): string | undefined {
  const labels = spec.template?.metadata?.labels ?? {};
  if (Object.keys(labels).length > 0) return undefined;
  return 'no machine can be made without labels: set spec.template.metadata.labels to labels that spec.selector matches';
}
