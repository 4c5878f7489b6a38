/**
 * The page of a machine in the Temporal UI: what it waits for, since when, until when, and what a
 * person can do.
 */
import type { CommandSource } from '../api/command-source.ts';
import { annotations } from '../api/constants.ts';
import { formatHook } from '../api/deletion-hooks.ts';
import { shownDrainDeadlineOf } from './deadlines.ts';
import { isBeingDrained } from './drain.ts';
import { knownHoldOf } from './hooks.ts';
import { inPlaceFactsOf } from './in-place.ts';
import { nameInLine } from '../values/name-in-line.ts';
import type { MachineState, PreservationDrain } from './state.ts';
import { instanceOf } from './state.ts';
import type { MachineCommand } from '../contracts/commands.ts';
import type { NamespacedName } from '../contracts/references.ts';
import type { Blocker } from '../plan/drain/report.ts';
import { formatPodsLeft } from '../plan/drain/report.ts';
import type { MachineStep } from '../plan/machine/steps.ts';
import { printedCommand } from '../runtime/printed-command.ts';
import { relatedId } from '../runtime/related-workflow.ts';
import { dateOf } from '../runtime/search-attribute-values.ts';

/** Markdown. The UI draws tables without borders, so these are lists. */
export function machineDetails(
  ref: NamespacedName,
  state: MachineState,
  step: MachineStep,
): string {
  const phase = state.phase === '' ? 'New' : state.phase;
  return [
    `### Machine ${ref.namespace}/${ref.name}: ${phase} since ${timeOf(state.phaseSince)}`,
    ...progressOf(state, step),
    ...formatHooks(state),
    ...formatDrain(state),
    ...formatPreservation(state),
    ...formatUpdate(state),
    ...formatMissing(state),
    ...formatFacts(ref, state),
    ...formatConsole(state),
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
  const waits = `- **Waits:** ${step.reason}${until && `, until ${until}`}`;
  if (!failure) return [waits];
  const { code, message } = failure.detail;
  // Another attempt is under way, or none follows.
  if (!step.reason.startsWith(`${code}: ${message}`)) {
    return [waits, `- **Failed before:** \`${code}\`: ${message}`];
  }
  return [
    `- **Waits because of** \`${code}\`: ${message}`,
    `- **Next attempt:** number ${failure.attempts + 1}, at ${until}`,
  ];
}

function formatHooks(state: MachineState): string[] {
  const { heldSince } = state.object.prepared ?? {};
  const { hooks = [] } = knownHoldOf(state) ?? {};
  const since = heldSince === undefined ? '' : ` since ${timeOf(heldSince)}`;
  return hooks.map((hook) => `- **Hook**${since}: ${formatHook(hook)}, \`${hook.annotation}\``);
}

function formatDrain(state: MachineState): string[] {
  const { podsLeft = 0, blockers = [], blockerCount = 0 } = state.drain ?? {};
  // The report stays for a moment when a preservation ends, whose drain has no deadline then.
  if (blockers.length === 0 || !isBeingDrained(state)) return [];
  const more = blockerCount - blockers.length;
  return [
    `- **Drain is blocked:** ${formatPodsLeft(podsLeft)}; what is left at ${timeOf(shownDrainDeadlineOf(state))} is deleted by force`,
    ...blockers.map(formatBlocker),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

function formatMissing({ missing }: MachineState): string[] {
  if (missing?.missedAt === undefined) return [];
  const { providerID, isConfirmed, missedAt, askAt } = missing;
  const since = `the cloud says since ${timeOf(missedAt)} that there is no \`${providerID}\``;
  const next = isConfirmed ? '' : `; asked again at ${timeOf(askAt)}`;
  return [`- **Instance ${isConfirmed ? 'gone' : 'missing'}:** ${since}${next}`];
}

function formatPreservation({ preservation, requeues }: MachineState): string[] {
  const { kept, drain } = preservation ?? {};
  const { preserve, drainPreserved } = requeues;
  const away = preserve ? [`- **Preservation waits:** ${preserve.message}`] : [];
  if (!kept) return away;
  const line = `- **Preserved until** ${timeOf(kept.until)}, because its annotation says \`${kept.value}\``;
  return [
    `${line}${kept.isToBeDrained ? `; ${stateOfDrain(drain, drainPreserved?.message)}` : ''}`,
    ...away,
  ];
}

function stateOfDrain(drain: PreservationDrain | undefined, error: string | undefined): string {
  if (drain?.isDone) return 'its Node is drained';
  return error === undefined
    ? 'its Node is being drained'
    : `its Node could not be drained: ${error}`;
}

/** How far it is, and what the agent on the Node says. */
function formatUpdate(state: MachineState): string[] {
  const { node, deadline, hold, requeue, drainRequeue } = inPlaceFactsOf(state) ?? {};
  if (!node?.reason) return [];
  const { reason, since, failedReason } = node;
  const began = since === undefined ? '' : ` since ${timeOf(since)}`;
  const isDrained = reason === 'SelectedForUpdate' && isBeingDrained(state);
  const until = isDrained ? shownDrainDeadlineOf(state) : deadline;
  const end = until === undefined ? '' : `, until ${timeOf(until)}`;
  const does = isDrained ? '; its Node is being drained' : '';
  const problems = [hold, requeue?.message, drainRequeue?.message].filter(Boolean);
  return [
    `- **Update in place:** \`${reason}\`${began}${does}${end}`,
    ...problems.map((why) => `- **Update in place waits:** ${why}`),
    ...(failedReason ? [`- **The agent on its Node says:** ${failedReason}`] : []),
  ];
}

function formatBlocker({ pod, blockedBy, since, why, nextTryAt }: Blocker): string {
  const next =
    nextTryAt === undefined ? '' : `; next try ${timeOf(nextTryAt)}, then every minute or two`;
  return `- \`${pod}\` since ${timeOf(since)}, blocked by \`${blockedBy}\`: ${why}${next}`;
}

/** A code block, as the commands are. */
function formatConsole({ consoleOutput }: MachineState): string[] {
  if (!consoleOutput) return [];
  const at = timeOf(consoleOutput.readAt);
  if ('reason' in consoleOutput) {
    return [`- **Console of the instance** not read at ${at}: ${consoleOutput.reason}`];
  }
  const lines = consoleOutput.text.split('\n').map((line) => `    ${line}`);
  return [`- **Console of the instance**, its end at ${at}:`, '', ...lines];
}

function formatFacts({ namespace }: NamespacedName, state: MachineState): string[] {
  const { prepared } = state.object;
  const instance = instanceOf(state);
  const facts: string[] = [];
  if (instance)
    facts.push(`- **Instance** \`${instance.providerID}\`, Node \`${instance.nodeName}\``);
  if (prepared) {
    facts.push(
      `- **MachineClass** \`${prepared.className}\`, provider ${prepared.provider ?? 'unknown'}`,
    );
  }
  if (prepared?.machineSet !== undefined) {
    facts.push(
      `- **Above:** workflow \`${relatedId('machineSet', { namespace, name: prepared.machineSet })}\``,
    );
  }
  return facts;
}

function commandsOf(ref: NamespacedName, state: MachineState): string[] {
  const { namespace, name } = ref;
  const { failure } = state;
  const { prepared } = state.object;
  const kubectl = `kubectl -n ${namespace}`;
  const fix =
    failure && prepared
      ? [
          '# a fixed class is tried at once',
          `${kubectl} edit machineclass ${nameInLine(prepared.className)}`,
        ]
      : [];
  return [
    `${kubectl} describe machine ${name}`,
    ...fix,
    ...hookCommands(`${kubectl} annotate machine ${name}`, state),
    ...(state.teardown ? [] : [`${kubectl} delete machine ${name}`]),
    ...preservationCommands(`${kubectl} annotate --overwrite machine ${name}`, state),
    ...(state.phase === 'InPlaceUpdateFailed' ? updateCommands(ref, prepared?.commandsBy) : []),
    ...(state.teardown?.stage === 'draining' ? drainCommands(ref, prepared?.commandsBy) : []),
  ];
}

/** Nothing else ends the wait. */
function hookCommands(annotate: string, state: MachineState): string[] {
  const { hooks = [] } = knownHoldOf(state) ?? {};
  const lines = hooks.map(({ annotation }) => `${annotate} '${annotation}-'`);
  return lines.length > 0 ? ['# passes a hook, whatever its owner has still to do', ...lines] : [];
}

/** Only where they help: for a machine that is unhealthy, and for one that is preserved. */
function preservationCommands(annotate: string, { phase, preservation }: MachineState): string[] {
  const command = `${annotate} ${annotations.preserve}`;
  if (preservation?.kept) return ['# it need not be kept any longer', `${command}=false`];
  const isIll = phase === 'Unknown' || phase === 'Failed';
  return isIll ? ['# keeps it for inspection when it has failed', `${command}=when-failed`] : [];
}

function printerOf(ref: NamespacedName, source: CommandSource | undefined) {
  return (command: MachineCommand, comment?: string): string[] => {
    const printed = printedCommand({ kind: 'machine', ref, source }, command);
    return comment === undefined || printed.length === 0 ? printed : [comment, ...printed];
  };
}

function updateCommands(ref: NamespacedName, source: CommandSource | undefined): string[] {
  const print = printerOf(ref, source);
  return [
    ...print({ verb: 'retryUpdate' }, '# the agent on its Node tries it again'),
    ...print({ verb: 'giveUpUpdate' }, '# its set lets it go, with its disks'),
  ];
}

function drainCommands(ref: NamespacedName, source: CommandSource | undefined): string[] {
  const print = printerOf(ref, source);
  return [
    ...print({ verb: 'retryNow' }),
    ...print({ verb: 'extendDrain', minutes: 30 }),
    ...print({ verb: 'skipVolumeWait' }),
    ...print({ verb: 'forceDelete' }, '# deletes the pods without asking their budgets'),
    ...print({ verb: 'skipDrain' }, '# the instance goes with its pods'),
  ];
}

function timeOf(milliseconds: number): string {
  // A time that is no date would fail every workflow task.
  return dateOf(milliseconds)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
}
