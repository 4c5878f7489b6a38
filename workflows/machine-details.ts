/** The page of a machine in the Temporal UI: what it waits for, since when, until when, and what a person can do. */
import type { MachineState } from './machine-state.ts';
import { drainDeadlineOf } from './machine-state.ts';
import type { ObjectRef } from './messages.ts';
import type { Blocker } from './plan/drain-report.ts';
import type { MachineStep } from './plan/machine.ts';

/** Markdown. The UI draws tables without borders, so these are lists. */
export function machineDetails(ref: ObjectRef, state: MachineState, step: MachineStep): string {
  const phase = state.phase === '' ? 'New' : state.phase;
  return [
    `### Machine ${ref.namespace}/${ref.name}: ${phase} since ${timeOf(state.phaseSince)}`,
    ...progressOf(state, step),
    ...drainInWords(state),
    ...factsInWords(ref, state),
    '',
    'What you can do:',
    '',
    ...commandsOf(ref, state).map((line) => `    ${line}`),
  ].join('\n');
}

function progressOf({ failure }: MachineState, step: MachineStep): string[] {
  if (step.action === 'complete') return [`- **Ended:** ${step.reason}`];
  if (step.action !== 'wait') return [`- **Next:** ${step.action}`];
  const until = step.until === undefined ? '' : timeOf(step.until);
  if (!failure) return [`- **Waits:** ${step.reason}${until && `, until ${until}`}`];
  return [
    `- **Waits because of** \`${failure.detail.code}\`: ${failure.detail.message}`,
    `- **Next attempt:** number ${failure.attempts + 1}, at ${until}`,
  ];
}

function drainInWords(state: MachineState): string[] {
  const { podsLeft = 0, blockers = [], blockerCount = 0 } = state.drain ?? {};
  if (blockers.length === 0) return [];
  const more = blockerCount - blockers.length;
  return [
    `- **Drain is blocked:** ${podsLeft} pods left; what is left at ${timeOf(drainDeadlineOf(state))} is deleted by force`,
    ...blockers.map(blockerInWords),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

function blockerInWords({ pod, blockedBy, since, why, nextTryAt }: Blocker): string {
  const next = nextTryAt === undefined ? '' : `; next try ${timeOf(nextTryAt)}, then every 20 s`;
  return `- \`${pod}\` since ${timeOf(since)}, blocked by \`${blockedBy}\`: ${why}${next}`;
}

function factsInWords({ namespace }: ObjectRef, { instance, prepared }: MachineState): string[] {
  const facts: string[] = [];
  if (instance)
    facts.push(`- **Instance** \`${instance.providerID}\`, Node \`${instance.nodeName}\``);
  if (prepared) {
    facts.push(
      `- **MachineClass** \`${prepared.className}\`, provider ${prepared.provider ?? 'unknown'}`,
    );
  }
  if (prepared?.machineSet !== undefined) {
    facts.push(`- **Above:** workflow \`machineSet/${namespace}/${prepared.machineSet}\``);
  }
  return facts;
}

function commandsOf(ref: ObjectRef, state: MachineState): string[] {
  const { namespace, name } = ref;
  const { failure, prepared } = state;
  const kubectl = `kubectl -n ${namespace}`;
  const mend =
    failure && prepared
      ? ['# a mended class is tried at once', `${kubectl} edit machineclass ${prepared.className}`]
      : [];
  return [
    `${kubectl} describe machine ${name}`,
    ...mend,
    ...(state.teardown ? [] : [`${kubectl} delete machine ${name}`]),
    ...(state.teardown && !state.teardown.isDrained ? drainCommands(ref) : []),
  ];
}

function drainCommands({ namespace, name }: ObjectRef): string[] {
  const signal = `temporal workflow signal --workflow-id machine/${namespace}/${name} --name`;
  return [
    `${signal} retryNow`,
    `${signal} extendDrain --input '{"minutes": 30}'`,
    `${signal} skipVolumeWait`,
    '# deletes the pods without asking their budgets',
    `${signal} forceDelete`,
    '# the instance goes with its pods',
    `${signal} skipDrain`,
  ];
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
