/** The parts of a Machine that sets and deployments read. */
import type { NodeCondition, ObjectMeta } from '../../workflows/api/meta.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { withoutUnsettled } from '../../workflows/api/kstatus.ts';
import { annotations as names } from '../../workflows/api/constants.ts';
import { defined } from '../../workflows/values/defined.ts';

/** Half of a Machine is who wrote which of its fields, and conditions that only its Node needs. */
export function trimmed({ apiVersion, kind, metadata, spec, status }: Machine): Machine {
  return defined({
    apiVersion,
    kind,
    metadata: trimmedMeta(metadata),
    spec,
    status: status && trimmedStatus(status),
  });
}

function trimmedMeta({ annotations, ...metadata }: ObjectMeta): ObjectMeta {
  return defined({
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    labels: metadata.labels,
    annotations: annotations && withoutLongOnes(annotations),
    finalizers: metadata.finalizers,
    ownerReferences: metadata.ownerReferences,
  });
}

function withoutLongOnes(annotations: Record<string, string>): Record<string, string> {
  const {
    [names.lastAppliedByKubectl]: _text,
    [names.consoleOutput]: _output,
    ...kept
  } = annotations;
  return kept;
}

function trimmedStatus({
  conditions,
  currentStatus,
  lastOperation,
  nodeRef,
}: NonNullable<Machine['status']>) {
  return defined({
    currentStatus,
    lastOperation,
    nodeRef,
    conditions: conditions && signOfNode(withoutUnsettled(conditions)),
  });
}

/** That there are any says that the Node has joined. */
function signOfNode(conditions: readonly NodeCondition[]): NodeCondition[] {
  const ready = conditions.filter(({ type }) => type === 'Ready');
  return ready.length > 0 ? ready : conditions.slice(0, 1);
}
