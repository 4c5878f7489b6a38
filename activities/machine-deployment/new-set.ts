/** The MachineSet that a MachineDeployment makes. */
import { annotations, apiVersion, finalizers, labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { surgeOf } from '../../workflows/plan/fenceposts.ts';
import { templateHash } from '../../workflows/plan/template-hash.ts';

/** Annotations of the deployment that do not go down to its sets; neither do ours. */
const notCopied = new Set<string>([
  annotations.lastAppliedByKubectl,
  annotations.revision,
  'deployment.kubernetes.io/revision-history',
  annotations.desiredReplicas,
  annotations.maxReplicas,
  'deployment.machine.sapcloud.io/prefer-no-schedule',
  'safety.machine.sapcloud.io/unfreeze',
  'node.machine.sapcloud.io/trigger-deletion-by-mcm',
]);
const oursPrefix = 'millwright.dev/';

export function newSetOf(
  deployment: MachineDeployment,
  { name, replicas }: { name: string; replicas: number },
): object {
  const { metadata, spec } = deployment;
  const hash = { [labels.templateHash]: templateHash(spec.template) };
  const templateLabels = { ...spec.template.metadata?.labels, ...hash };
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: templateLabels,
      annotations: {
        ...copiedAnnotationsOf(deployment),
        ...scalingAnnotationsOf(deployment),
        [annotations.revision]: '1',
      },
      finalizers: [finalizers.machine],
      ownerReferences: [
        {
          apiVersion,
          kind: 'MachineDeployment',
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      ...(spec.autoPreserveFailedMachineMax !== undefined && {
        autoPreserveFailedMachineMax: spec.autoPreserveFailedMachineMax,
      }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector?.matchLabels, ...hash },
      },
      template: {
        ...spec.template,
        metadata: { ...spec.template.metadata, labels: templateLabels },
      },
    },
  };
}

/** What tells a scaling from a rollout; the cluster autoscaler and dashboards read them. */
export function scalingAnnotationsOf({ spec }: MachineDeployment): Record<string, string> {
  const replicas = spec.replicas ?? 0;
  return {
    [annotations.desiredReplicas]: String(replicas),
    [annotations.maxReplicas]: String(replicas + surgeOf(spec)),
  };
}

function copiedAnnotationsOf({ metadata }: MachineDeployment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(
      ([key]) => !notCopied.has(key) && !key.startsWith(oursPrefix),
    ),
  );
}
