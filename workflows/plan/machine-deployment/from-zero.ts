/**
 * Facts that the cluster autoscaler of the Kubernetes project needs about a pool without machines.
 * It reads them in annotations of the MachineDeployment; MCM and Gardener's autoscaler have the
 * same in the `nodeTemplate` of the MachineClass.
 */
import { annotations } from '../../api/constants.ts';
import type { NodeTemplate } from '../../api/machine-class.ts';
import type { NodeTemplateSpec, Taint } from '../../api/machine.ts';
import { asksFromZero } from '../../api/scale-from-zero.ts';
import { defined } from '../../values/defined.ts';
import { isQuantity } from '../../values/quantity.ts';
import { isRecord } from '../../values/is-record.ts';

export const fromZeroPrefix = 'capacity.cluster-autoscaler.kubernetes.io/';
const gpuType = 'nvidia.com/gpu';

export interface Pool {
  /** Annotations of the MachineDeployment. */
  notes: Readonly<Record<string, string>>;
  /** `spec.template.spec.nodeTemplate` of the MachineDeployment. */
  nodeTemplate?: NodeTemplateSpec;
  /** `nodeTemplate` of its MachineClass; absent: the class has none, or does not exist. */
  ofClass?: NodeTemplate;
}

/** It asks, or it did and annotations of ours are left. */
export function concernsFromZero(notes: Readonly<Record<string, string>>): boolean {
  return asksFromZero(notes) || annotations.appliedFromZero in notes;
}

/**
 * The annotations to write, null for those to delete; empty when there are none. An annotation that
 * another client wrote, or changed since, stays as it is.
 */
export function fromZeroChanges(pool: Pool): Record<string, string | null> {
  const { notes } = pool;
  const applied = appliedIn(notes[annotations.appliedFromZero]);
  const wanted = asksFromZero(notes) ? wantedOf(pool) : {};
  const isOurs = (key: string): boolean => !(key in notes) || notes[key] === applied[key];
  const ours = Object.entries(wanted).filter(([key]) => isOurs(key));
  const removed = Object.keys(applied)
    .filter((key) => key in notes && !(key in wanted) && isOurs(key))
    .map((key) => [key, null] as const);
  const note = ours.length === 0 ? null : JSON.stringify(Object.fromEntries(ours));
  const all = [...ours, ...removed, [annotations.appliedFromZero, note] as const];
  return Object.fromEntries(all.filter(([key, value]) => (notes[key] ?? null) !== value));
}

function wantedOf({ nodeTemplate, ofClass }: Pool): Record<string, string> {
  const { metadata, spec } = nodeTemplate ?? {};
  const texts = defined({
    ...capacityOf(ofClass?.capacity ?? {}),
    labels: listOf({ ...(ofClass && labelsOf(ofClass)), ...metadata?.labels }),
    taints: spec?.taints?.map(taintText).join(',') || undefined,
  });
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [`${fromZeroPrefix}${key}`, text]),
  );
}

/** Leaves out text that is no quantity: the autoscaler would do without the whole pool. */
function capacityOf(capacity: Readonly<Record<string, number | string>>) {
  const quantity = (name: string): string | undefined => {
    const text = String(capacity[name] ?? '');
    return isQuantity(text) ? text : undefined;
  };
  const whole = (name: string): string | undefined => {
    const text = quantity(name);
    return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? text : undefined;
  };
  const gpus = whole('gpu') ?? whole(gpuType);
  return {
    cpu: quantity('cpu'),
    memory: quantity('memory'),
    'ephemeral-disk': quantity('ephemeral-storage'),
    maxPods: whole('pods'),
    'gpu-count': gpus,
    'gpu-type': gpus && gpuType,
  };
}

function labelsOf({ instanceType, region, zone, architecture }: NodeTemplate) {
  return defined({
    'node.kubernetes.io/instance-type': instanceType,
    'topology.kubernetes.io/region': region,
    'topology.kubernetes.io/zone': zone,
    'kubernetes.io/arch': architecture,
  });
}

function listOf(labels: Readonly<Record<string, string>>): string | undefined {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? undefined : pairs.join(',');
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}=${value ?? ''}:${effect}`;
}

/**
 * Reads what we wrote. Text that is not ours any more counts as nothing: all of it is another's.
 */
function appliedIn(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
