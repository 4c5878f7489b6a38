/** Formats a plan for people. */
import { formatDuration } from '../../workflows/api/duration.ts';
import { machines } from '../../workflows/plan/machine-deployment/rollout/words.ts';
import type { Answer } from '../command-line/answer.ts';
import type { Durations } from './durations.ts';
import type { Happening, SimulatedRollout } from './simulation.ts';

export interface Planned {
  /** Of the MachineDeployment. */
  name: string;
  /** Why the change would be refused. */
  faults: string[];
  /** What keeps machines from being made. */
  warnings: string[];
  durations: Durations;
  /** Absent when the change would be refused. */
  likely?: SimulatedRollout;
  /** With machines that take as long as they may. */
  longestMs?: number;
  /** Those that allow nothing now; undefined where they cannot be read. */
  budgets?: string[] | undefined;
}

export function answerOf(planned: readonly Planned[]): Answer {
  const isRefused = planned.some(({ faults, warnings }) => faults.length + warnings.length > 0);
  return {
    text: planned.map(textOf).join('\n\n'),
    data: planned.map(dataOf),
    exitCode: isRefused ? 1 : 0,
  };
}

function dataOf({ likely, longestMs, budgets, ...planned }: Planned): object {
  if (!likely) return planned;
  const { plan, tookMs, happenings, objects: _objects, nextAt: _none, ...counts } = likely;
  const { state, reason, next = null, blockedBy = null } = plan;
  return {
    ...planned,
    ...counts,
    seconds: Math.round(tookMs / 1_000),
    longestSeconds: Math.round((longestMs ?? 0) / 1_000),
    end: { state, reason, next, blockedBy },
    refusingBudgets: budgets ?? null,
    steps: happenings.map(({ at, ...step }) => ({ seconds: Math.round(at / 1_000), ...step })),
  };
}

function textOf(planned: Planned): string {
  const { name, faults, warnings, likely } = planned;
  const lines = [
    `machinedeployment/${name}`,
    ...faults.map((fault) => `  refused, and nothing is touched: ${fault}`),
    ...warnings.map((warning) => `  ${warning}`),
    ...(likely ? outcomeLines(planned, likely) : []),
  ];
  return lines.join('\n');
}

function outcomeLines(planned: Planned, likely: SimulatedRollout): string[] {
  const { created, deleted, happenings } = likely;
  if (happenings.length === 0) return [`  nothing changes: ${likely.plan.reason}`];
  return [
    ...stepLines(happenings),
    `  machines: ${created} created, ${deleted} deleted; at most ${likely.mostMachines} at a time, at least ${likely.fewestAvailable} available`,
    ...(created + deleted > 0 ? timeLines(planned, likely) : []),
    ...endLines(planned, likely),
  ];
}

const linesMax = 40;

function stepLines(happenings: readonly Happening[]): string[] {
  const lines = joined(happenings).map(
    (step) => `  ${`+${formatDuration(Math.round(step.at / 1_000))}`.padEnd(12)}${wordsOf(step)}`,
  );
  if (lines.length <= linesMax) return lines;
  const more = lines.length - linesMax + 1;
  return [...lines.slice(0, linesMax - 1), `  ... and ${more} more steps: -o json has all`];
}

/** What happens to one set at one moment is one line. */
function joined(happenings: readonly Happening[]): Happening[] {
  const result: Happening[] = [];
  for (const step of happenings) {
    const last = result.at(-1);
    const isSame = last?.at === step.at && last.kind === step.kind && last.subject === step.subject;
    if (isSame && (step.kind === 'running' || step.kind === 'gone')) {
      last.count += step.count;
      last.names.push(...step.names);
    } else {
      result.push({ ...step, names: [...step.names] });
    }
  }
  return result;
}

export function wordsOf(step: Happening): string {
  const words = wordsFor[step.kind](step);
  return step.reason === undefined ? words : `${words}: ${step.reason}`;
}

const wordsFor: Record<Happening['kind'], (step: Happening) => string> = {
  createSet: ({ subject, count }) => `creates MachineSet ${subject} for ${machines(count)}`,
  scaleSet: ({ subject, count }) => `scales MachineSet ${subject} to ${count}`,
  create: ({ subject, count }) => `creates ${machines(count)} of ${subject}`,
  delete: ({ subject, count, names }) =>
    `deletes ${machines(count)} of ${subject}: ${names.join(', ')}`,
  running: ({ subject, count }) => `${machines(count)} of ${subject} Running`,
  gone: ({ subject, count }) => `${machines(count)} of ${subject} gone`,
  rollBack: ({ subject }) => `goes back to MachineSet ${subject}`,
  refuseRollback: () => 'refuses the rollback',
  deleteSets: ({ subject }) => `deletes the empty MachineSet ${subject}`,
  hold: ({ subject }) => `${subject}: a person checks them, then: millwright rollout resume`,
};

function timeLines({ durations, longestMs = 0 }: Planned, { tookMs }: SimulatedRollout): string[] {
  const { creation, deletion } = durations;
  const likely = formatDuration(Math.round(tookMs / 1_000));
  const longest = formatDuration(Math.round(longestMs / 1_000));
  return [
    `  time: about ${likely}; ${longest} if each machine takes as long as its timeouts let it`,
    `    a creation ${formatDuration(Math.round(creation.seconds))} (${creation.source}), a deletion ${formatDuration(Math.round(deletion.seconds))} (${deletion.source})`,
  ];
}

function endLines({ budgets }: Planned, { plan, isCut, happenings }: SimulatedRollout): string[] {
  const hold = happenings.some(({ kind }) => kind === 'hold')
    ? 'the time of a person is not counted'
    : '';
  const next = plan.next === undefined ? '' : `; ${plan.next}`;
  const isOver = plan.state === 'Complete';
  return [
    ...(hold === '' ? [] : [`  ${hold}`]),
    ...(isOver ? [] : [`  it ends so: ${plan.state}: ${plan.reason}${next}`]),
    ...(isCut ? ['  the end is left out: there are too many steps'] : []),
    ...budgetLines(budgets),
  ];
}

function budgetLines(budgets: readonly string[] | undefined): string[] {
  if (budgets === undefined) return ['  PodDisruptionBudgets: you may not read them'];
  if (budgets.length === 0) return [];
  return [`  PodDisruptionBudgets that allow nothing now: ${budgets.join(', ')}`];
}
