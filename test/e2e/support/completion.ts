/**
 * Is the rollout of a MachineDeployment complete? As MCM v0.62.1 says it and the cluster autoscaler
 * reads it.
 */
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';

export interface Progress {
  observedGeneration: number;
  replicas: number;
  updatedReplicas: number;
  availableReplicas: number;
  /** Status and reason of the condition `Progressing`. */
  progressing: string;
}

export function progressOf({ status = {} }: MachineDeployment): Progress {
  const {
    observedGeneration = 0,
    replicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
  } = status;
  const found = status.conditions?.find(({ type }) => type === 'Progressing');
  const progressing = `${found?.status} ${found?.reason}`;
  return { observedGeneration, replicas, updatedReplicas, availableReplicas, progressing };
}

/** What `progressOf` says when the rollout of the present spec is complete. */
export function completionOf({ metadata, spec }: MachineDeployment): Progress {
  const { replicas = 0 } = spec;
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
    progressing: 'True NewMachineSetAvailable',
  };
}

export function isComplete(deployment: MachineDeployment): boolean {
  return JSON.stringify(progressOf(deployment)) === JSON.stringify(completionOf(deployment));
}
