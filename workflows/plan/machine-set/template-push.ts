/** Fields of the template that a MachineSet keeps equal on machines that exist. */
import { annotations } from '../../api/constants.ts';
import { parseDuration } from '../../api/duration.ts';
import type { Machine, MachineSpec } from '../../api/machine.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';

const durations = [
  'drainTimeout',
  'healthTimeout',
  'creationTimeout',
  'inPlaceUpdateTimeout',
  'machinePreserveTimeout',
] as const;
const others = [
  'nodeTemplate',
  'disableHealthTimeout',
  'maxEvictRetries',
  'nodeConditions',
] as const;

/**
 * Another value of these makes no new template: it goes to the set of the template and to its
 * living machines.
 */
export const pushedFields = [...durations, ...others] as const;

/**
 * A merge patch for the machine's spec; undefined when there is nothing to push. As MCM v0.62.1: a
 * machine that is Failed or going keeps what it has but for the class's kind. The class's name,
 * labels and annotations are never pushed: another class is a rollout.
 */
export function templatePush(machine: Machine, template: MachineSpec): object | undefined {
  const { spec } = machine;
  const kind = template.class?.kind;
  const classPatch = kind === spec.class?.kind || kind === undefined ? {} : { class: { kind } };
  const patch = { ...classPatch, ...(isSettled(machine) ? {} : configPatch(machine, template)) };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * The template's creation timeout, or what the machine's own annotation says; MCM reverts the
 * latter (a defect).
 */
export function creationTimeoutOf(
  notes: Record<string, string> | undefined,
  template: MachineSpec,
): string | undefined {
  const own = notes?.[annotations.effectiveCreationTimeout];
  return own !== undefined && parseDuration(own) !== undefined ? own : template.creationTimeout;
}

/** Nothing that is pushed would have an effect any more. */
function isSettled({ metadata, status }: Machine): boolean {
  const { phase } = status?.currentStatus ?? {};
  return metadata.deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Terminating';
}

function configPatch({ metadata, spec }: Machine, template: MachineSpec): object {
  const creationTimeout = creationTimeoutOf(metadata.annotations, template);
  const wanted = { ...template, creationTimeout };
  const changes = [
    ...durations.map((name) => [name, durationPatch(spec[name], wanted[name])] as const),
    ...others.map((name) => [name, mergePatchOf(spec[name], wanted[name])] as const),
  ];
  return Object.fromEntries(changes.filter(([, change]) => change !== undefined));
}

/**
 * `90s` and `1m30s` are the same: MCM and Gardener write durations as Go does, people as they like.
 */
function durationPatch(present: string | undefined, wanted: string | undefined): unknown {
  if (present === undefined || wanted === undefined) return mergePatchOf(present, wanted);
  const seconds = parseDuration(wanted);
  if (seconds !== undefined && parseDuration(present) === seconds) return undefined;
  return mergePatchOf(present, wanted);
}
