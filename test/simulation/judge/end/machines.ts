/** What a Machine lacks. */
import { resultLabel, resultOf } from '../in-place.ts';
import { hasFinalizer, finalizer, isDeleting, isReady, ownerOf, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { EndParts } from './end-parts.ts';
import { leftMarks, missingMarks } from './node-marks.ts';
import { forbidden, unsettled } from './owners.ts';

export function unmetMachine(parts: EndParts, machine: JudgedObject): string[] {
  const { name } = machine.metadata;
  if (isDeleting(machine))
    return [`Machine ${name} is still being deleted: ${operationOf(machine)}`];
  const phase = phaseOf(machine);
  // What fails is replaced by its set; without one it stays, for its owner to see.
  if (phase === 'Failed' && ownerOf(machine) === undefined) return [];
  if (phase !== 'Running') return [`Machine ${name} is "${phase}": ${operationOf(machine)}`];
  const faults = [...instanceFaults(parts, machine), ...nodeFaults(parts, machine)];
  if (resultOf(machine) !== undefined) faults.push(`has the label ${resultLabel}`);
  if (!hasFinalizer(machine, finalizer)) faults.push('lacks our finalizer');
  faults.push(...forbidden(machine.status?.conditions, unsettled));
  return faults.map((fault) => `Machine ${name} ${fault}`);
}

function operationOf({ status }: JudgedObject): string {
  return status?.lastOperation?.description ?? 'nothing says why';
}

function instanceFaults({ evidence }: EndParts, { spec }: JudgedObject): string[] {
  const { providerID } = spec ?? {};
  if (providerID === undefined) return ['runs without an instance'];
  return evidence.instances.isLiving(providerID)
    ? []
    : [`runs although its instance ${providerID} is gone`];
}

function nodeFaults({ evidence, install }: EndParts, machine: JudgedObject): string[] {
  const { metadata, spec } = machine;
  const name = metadata.labels?.['node'];
  if (name === undefined) return ['runs without the label node'];
  const node = evidence.targetOf(install).nodes.named('', name)?.object;
  if (!node) return [`runs although its Node ${name} is gone`];
  const isOther = node.spec?.providerID !== spec?.providerID;
  return [
    ...leftMarks(evidence, install, { machine, node }).map(
      (mark) => `has Node ${name} with ${mark}`,
    ),
    ...(isOther ? [`names Node ${name} of another instance`] : []),
    ...(isReady(node) ? [] : [`runs although its Node ${name} is not ready`]),
    ...missingMarks(machine, node).map((mark) => `has Node ${name} without ${mark}`),
  ];
}
