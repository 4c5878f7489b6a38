/** Says what a preservation means for a machine as it is now. */
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { formatReference } from '../command-line/object-reference.ts';
import type { Preview } from '../command-line/consent.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';

/** Values of `node.machine.sapcloud.io/preserve`; the others are those of MachineSets. */
export const preserveValues = ['now', 'when-failed', 'false'] as const;

export interface Preservation {
  object: ObjectReference;
  value: (typeof preserveValues)[number];
  /** Milliseconds. Undefined: as long as the Machine or the worker's flag says. */
  until?: number | undefined;
}

/** Undefined machine: no Machine of the namespace has this Node, as far as is known. */
export function previewOf(
  { object, value, until }: Preservation,
  machine: Machine | undefined,
): Preview {
  const name = formatReference(object);
  const phase = machine?.status?.currentStatus?.phase;
  const now = `${name} now: ${phaseMessage(machine)}`;
  const message = {
    now: keptNow(machine, until),
    'when-failed':
      'keep it if it is Failed, or turns Failed; then it is not replaced, and its Node is tainted and drained.',
    false: ended(machine),
  }[value];
  const text = `${now}\nmillwright will: ${message}`;
  const data = {
    object: name,
    value,
    machine: machine?.metadata.name ?? null,
    phase: phase ?? null,
    until: until === undefined ? null : new Date(until).toISOString(),
  };
  return { text, data };
}

function phaseMessage(machine: Machine | undefined): string {
  const { phase, preserveExpiryTime } = machine?.status?.currentStatus ?? {};
  const kept = preserveExpiryTime ? `, preserved until ${preserveExpiryTime}` : '';
  return `${phase ?? 'of a phase that is not known here'}${kept}`;
}

function keptNow(machine: Machine | undefined, until: number | undefined): string {
  const end =
    until === undefined
      ? (machine?.spec.machinePreserveTimeout ?? "the worker's --machine-preserve-timeout")
      : `until ${new Date(until).toISOString()}`;
  const drained =
    machine?.status?.currentStatus?.phase === 'Failed'
      ? ' Its Node is tainted, and its pods are drained with their budgets.'
      : '';
  return `keep it, its instance and its Node (${end}); it is not replaced, and a scale-down takes it last.${drained}`;
}

function ended(machine: Machine | undefined): string {
  const isFailed = machine?.status?.currentStatus?.phase === 'Failed';
  return isFailed
    ? 'end its preservation: it is Failed, so its MachineSet deletes and replaces it at once.'
    : 'end its preservation; its MachineSet does not preserve it by itself either.';
}

/** A Node overrides its Machine; undefined when nothing does. */
export function overrideOf({ metadata }: Machine): string | undefined {
  return metadata.annotations?.[annotations.lastAppliedPreserve] || undefined;
}
