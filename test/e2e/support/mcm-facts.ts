/**
 * What somebody who knows MCM would compare: the facts of objects that do not change with the run.
 */
import { fakeKubelet } from '../../../deploy/local/virtual-cloud/node-object.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { withoutUnsettled } from '../../../workflows/api/kstatus.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { Condition } from '../../../workflows/api/meta.ts';
import type { NodeObject } from './cluster.ts';

/** Without times and generations. Counts that are absent are 0. */
export function factsOfDeployment({ metadata, spec, status = {} }: MachineDeployment): object {
  return {
    name: metadata.name,
    annotations: metadata.annotations,
    finalizers: metadata.finalizers,
    replicas: spec.replicas ?? 0,
    counts: {
      replicas: status.replicas ?? 0,
      updated: status.updatedReplicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
      unavailable: status.unavailableReplicas ?? 0,
    },
    conditions: wordsOf(status.conditions),
    failedMachines: namesOf(status.failedMachines),
  };
}

export function factsOfSet({ metadata, spec, status = {} }: MachineSet): object {
  return {
    name: metadata.name,
    labels: metadata.labels,
    annotations: metadata.annotations,
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
    replicas: spec.replicas ?? 0,
    selector: spec.selector,
    template: spec.template,
    counts: {
      replicas: status.replicas ?? 0,
      fullyLabeled: status.fullyLabeledReplicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
    },
    failedMachines: namesOf(status.failedMachines),
  };
}

export function factsOfMachine({ metadata, spec, status = {} }: Machine): object {
  const { phase, timeoutActive = false } = status.currentStatus ?? {};
  const { description, errorCode, state, type } = status.lastOperation ?? {};
  return {
    name: metadata.name,
    labels: metadata.labels,
    annotations: annotationsOfMcm(metadata.annotations),
    finalizers: metadata.finalizers,
    class: spec.class,
    nodeTemplate: spec.nodeTemplate,
    currentStatus: { phase, timeoutActive },
    lastOperation: { description, errorCode, state, type },
    conditions: wordsOf(status.conditions),
  };
}

/**
 * What the deployment and the machine write on a Node. Labels of the kubelet and the cluster are
 * left out.
 */
export function factsOfNode(node: NodeObject): object {
  const { metadata } = node;
  const { [annotations.lastAppliedNodeTemplate]: template, ...notes } = metadata.annotations ?? {};
  const ofKubelets = ['kwok.x-k8s.io/node', ...Object.keys(fakeKubelet)];
  const ofOthers = ['node.alpha.kubernetes.io/ttl', ...ofKubelets];
  // MCM does not write these; Nodes that it equipped are without (docs/autoscaler.md).
  const forAutoscaler = [annotations.nodeMachine, annotations.nodeMachineNamespace];
  const leftOut: readonly string[] = [...ofOthers, ...forAutoscaler];
  return {
    annotations: Object.fromEntries(
      Object.entries(notes).filter(([key]) => !leftOut.includes(key)),
    ),
    template,
    finalizers: metadata.finalizers,
    taints: taintsOf(node),
  };
}

export function taintsOf({ spec }: NodeObject): string[] {
  return (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).toSorted();
}

/** Without those that MCM does not have. */
const wordsOf = (conditions?: Condition[]): string[] =>
  withoutUnsettled(conditions)
    .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`)
    .toSorted();

const namesOf = (failed: { name?: string }[] | null | undefined): string[] =>
  (failed ?? []).map(({ name = '' }) => name).toSorted();

/** What MCM does not know, it does not compare either. */
function annotationsOfMcm(notes: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(notes).filter(([key]) => key !== annotations.targetCluster),
  );
}
