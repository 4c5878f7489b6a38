/** The Node of a Machine bears what its node template says (MCM 4.6), also after others edit it. */
import { nodeFinalizer, hasFinalizer } from '../objects.ts';
import type { JudgedObject, JudgedTaint } from '../objects.ts';

const machineName = 'node.gardener.cloud/machine-name';

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
