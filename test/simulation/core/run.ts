/** A run of a workflow in the cache of a worker. */
import proto from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import Long from 'long';
import { partsOf } from '../temporal/durations.ts';
import type {
  Activation,
  Command,
  Failure,
  Job,
  Query,
  QueryAnswer,
  RunInfo,
} from '../temporal/messages.ts';
import type { Sandbox } from './sandbox.ts';

/** What the server knows of a history before an activation. */
export interface Position {
  timestamp: number;
  historyLength: number;
  historySize: number;
  continueAsNewSuggested: boolean;
}

/** Workflow code failed in a way that fails the task, not the run. */
export class TaskFailure extends Error {
  override name = 'TaskFailure';
}

/** A replay gave other commands than the history has. */
export class Nondeterminism extends Error {
  override name = 'Nondeterminism';
}

export class CachedRun {
  readonly id: string;
  readonly #workflow: Workflow;
  /** How many activations of the history it has seen, and the last one of them. */
  #applied = 0;
  #last: Activation | undefined;

  private constructor(workflow: Workflow, id: string) {
    this.#workflow = workflow;
    this.id = id;
  }

  static async create(sandbox: Sandbox, run: RunInfo, at: number): Promise<CachedRun> {
    return new CachedRun(await sandbox.create(run, at), run.runId);
  }

  /**
   * It has seen this history and nothing else. One of the same length may be another one: where an
   * attempt of another worker came first, or after a restore.
   */
  isAt(history: readonly Activation[]): boolean {
    return this.#applied === history.length && this.#last === history.at(-1);
  }

  /** Throws `Nondeterminism` where it does not do what it did before. */
  async replay(history: readonly Activation[]): Promise<void> {
    for (const activation of history) {
      const { flags, ...position } = activation;
      const { jobs, commands } = asReplayed(activation);
      this.#hasApplied(activation);
      if (jobs.length === 0 && commands.length === 0) continue;
      const again = await this.#activate(jobs, position, { isReplaying: true, flags });
      requireSame(commands, again.commands);
    }
  }

  async activate(jobs: readonly Job[], position: Position): Promise<Activation> {
    const { commands, flags } = await this.#activate(jobs, position, {
      isReplaying: false,
      flags: [],
    });
    const activation = { jobs, ...position, commands, flags };
    this.#hasApplied(activation);
    return activation;
  }

  #hasApplied(activation: Activation): void {
    this.#applied += 1;
    this.#last = activation;
  }

  async query({ id, name, args }: Query, position: Position): Promise<QueryAnswer> {
    const job = {
      queryWorkflow: { queryId: id, queryType: name, arguments: [...args], headers: {} },
    };
    const how = { isReplaying: true, flags: [] };
    const { commands } = await this.#activate([job], position, how);
    const result = commands.find(({ respondToQuery }) => respondToQuery)?.respondToQuery;
    const value = result?.succeeded?.response;
    if (value) return { id, succeeded: true, value };
    return { id, succeeded: false, failure: result?.failed ?? { message: 'no answer' } };
  }

  async dispose(): Promise<void> {
    await this.#workflow.dispose();
  }

  async #activate(
    jobs: readonly Job[],
    position: Position,
    { isReplaying, flags }: { isReplaying: boolean; flags: readonly number[] },
  ): Promise<{ commands: Command[]; flags: readonly number[] }> {
    const completion = await this.#workflow.activate(
      proto.coresdk.workflow_activation.WorkflowActivation.fromObject({
        runId: this.id,
        timestamp: partsOf(position.timestamp),
        isReplaying,
        historyLength: position.historyLength,
        historySizeBytes: Long.fromNumber(position.historySize),
        continueAsNewSuggested: position.continueAsNewSuggested,
        availableInternalFlags: [...flags],
        jobs: [...jobs],
      }),
    );
    await this.#workflow.getAndResetSinkCalls();
    if (completion.failed) throw failureOf(completion.failed.failure);
    const { commands = [], usedInternalFlags = [] } = completion.successful ?? {};
    return { commands: commands ?? [], flags: usedInternalFlags ?? [] };
  }
}

function failureOf(failure: Failure | null | undefined): Error {
  const message = `${failure?.message ?? 'unknown'}\n${failure?.stackTrace ?? ''}`;
  const isNondeterminism = failure?.applicationFailureInfo?.type === 'DeterminismViolationError';
  return isNondeterminism ? new Nondeterminism(message) : new TaskFailure(message);
}

/** As core reads it from a history, which has no updates that were refused. */
function asReplayed(activation: Activation): Pick<Activation, 'jobs' | 'commands'> {
  const refused = refusedIn(activation);
  const isKept = (id: string | null | undefined): boolean => !refused.has(id ?? '');
  return {
    jobs: [
      ...activation.commands.flatMap(patchIn),
      ...activation.jobs
        .filter(({ doUpdate }) => isKept(doUpdate?.protocolInstanceId))
        .map(replayedJobOf),
    ],
    commands: activation.commands.filter(({ updateResponse }) =>
      isKept(updateResponse?.protocolInstanceId),
    ),
  };
}

/** Core says of which patches the history has markers, before the code asks. */
function patchIn({ setPatchMarker }: Command): Job[] {
  return setPatchMarker ? [{ notifyHasPatch: { patchId: setPatchMarker.patchId ?? '' } }] : [];
}

/** Unlike what was accepted and failed later. */
function refusedIn({ jobs, commands }: Activation): ReadonlySet<string> {
  const answers = commands.flatMap(({ updateResponse }) => updateResponse ?? []);
  const asked = jobs.flatMap(({ doUpdate }) => doUpdate?.protocolInstanceId ?? []);
  const accepted = answers.flatMap((one) => (one.accepted && one.protocolInstanceId) ?? []);
  const rejected = answers.flatMap((one) => (one.rejected && one.protocolInstanceId) ?? []);
  return new Set(rejected.filter((id) => asked.includes(id) && !accepted.includes(id)));
}

/**
 * What was accepted is not checked again. And a local activity that timed out fails with an
 * ActivityFailure when it happens, and with the bare timeout when its marker is replayed (SDK
 * 1.24.0).
 */
function replayedJobOf(job: Job): Job {
  const { resolveActivity, doUpdate } = job;
  if (doUpdate) return { doUpdate: { ...doUpdate, runValidator: false } };
  const cause = resolveActivity?.result?.failed?.failure?.cause;
  if (!resolveActivity?.isLocal || !cause?.timeoutFailureInfo) return job;
  return { resolveActivity: { ...resolveActivity, result: { failed: { failure: cause } } } };
}

function requireSame(expected: readonly Command[], found: readonly Command[]): void {
  const [before, now] = [expected.map(textOf), found.map(textOf)];
  const index = before.findIndex((text, place) => text !== now[place]);
  if (index === -1 && before.length === now.length) return;
  const place = index === -1 ? before.length : index;
  throw new Nondeterminism(
    `command ${place} is ${now[place] ?? 'missing'}, and was ${before[place] ?? 'missing'}`,
  );
}

/** What core compares: the kind of a command, its number, and what it names. */
function textOf(command: Command): string {
  const { scheduleActivity, scheduleLocalActivity, startTimer } = command;
  const [kind = ''] = Object.entries(command)
    .filter(([key, value]) => key !== 'userMetadata' && value !== null)
    .map(([key]) => key);
  const activity = scheduleActivity ?? scheduleLocalActivity;
  if (activity) return `${kind} ${activity.seq} ${activity.activityType}`;
  return startTimer ? `${kind} ${startTimer.seq}` : kind;
}
