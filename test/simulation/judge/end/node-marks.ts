/** The Node of a Machine bears what its node template says (MCM 4.6), also after others edit it. */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import {
  candidateLabel,
  failedReason,
  isInPlace,
  resultLabel,
  selectedLabel,
} from '../in-place.ts';
import { hasFinalizer, nodeFinalizer, ownerOf } from '../objects.ts';
import type { JudgedObject, JudgedTaint } from '../objects.ts';

const preferNoSchedule = 'deployment.machine.sapcloud.io/prefer-no-schedule';
const machineName = 'node.gardener.cloud/machine-name';

/** Of a pool that is updated in place: what an update leaves on a Node goes with its end. */
export function leftMarks(
  evidence: Evidence,
  install: Install,
  { machine, node }: { machine: JudgedObject; node: JudgedObject },
): string[] {
  const { sets, deployments } = evidence.controlOf(install);
  const set = sets.of(ownerOf(machine))?.object;
  const deployment = set && deployments.of(ownerOf(set))?.object;
  if (!deployment || !isInPlace(deployment)) return [];
  const { labels = {}, annotations = {} } = node.metadata;
  const present = [candidateLabel, selectedLabel, resultLabel].filter((key) => key in labels);
  return [
    ...present.map((key) => `the label ${key}`),
    ...(failedReason in annotations ? [`the annotation ${failedReason}`] : []),
    ...(node.spec?.unschedulable === true ? ['a cordon'] : []),
    ...(node.spec?.taints ?? [])
      .filter(({ key }) => key === preferNoSchedule)
      .map(({ key }) => `the taint ${key}`),
  ];
}

/** A line for each mark that the Node lacks. */
export function missingMarks(machine: JudgedObject, node: JudgedObject): string[] {
  const { labels, annotations } = node.metadata;
  const { metadata = {}, spec = {} } = machine.spec?.nodeTemplate ?? {};
  const named = { ...metadata.labels, [machineName]: machine.metadata.name };
  return [
    ...(hasFinalizer(node, nodeFinalizer) ? [] : ['our finalizer']),
    ...missingTexts('label', labels, named),
    ...missingTexts('annotation', annotations, metadata.annotations),
    ...missingTaints(node.spec?.taints ?? [], spec.taints ?? []),
  ];
}

function missingTexts(
  what: string,
  present: Record<string, string> = {},
  wanted: Record<string, string> = {},
): string[] {
  return Object.entries(wanted)
    .filter(([key, value]) => present[key] !== value)
    .map(([key, value]) => `the ${what} ${key}=${value}`);
}

function missingTaints(present: readonly JudgedTaint[], wanted: readonly JudgedTaint[]): string[] {
  return wanted
    .filter(({ key, effect, value }) => {
      const same = present.find((taint) => taint.key === key && taint.effect === effect);
      return !same || (same.value ?? '') !== (value ?? '');
    })
    .map(({ key, effect }) => `the taint ${key}:${effect}`);
}
