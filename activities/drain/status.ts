/**
 * How a drain goes, on the Machine: in the texts of MCM v0.62.1, with state Failed after a pass
 * without success, so that it is among the failedMachines of set and deployment. Written when it
 * changes, not with every pass, and again where another write took its place. A write that fails
 * holds up no drain.
 */
import type { DrainReport, DrainRequest } from '../../workflows/contracts/drain-activities.ts';
import { drainFailedMessage } from '../../workflows/api/drain-failure.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { podKey, type DrainPod } from '../../workflows/plan/drain/removals.ts';
import {
  digestOfBlockers,
  formatPodsLeft,
  type Blocker,
} from '../../workflows/plan/drain/report.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isUnreachable, KubeError } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { EventText } from '../../kube/objects/event.ts';
import {
  component,
  isDeleting,
  machineSubject,
  patchMachine,
  patchStatus,
  readSameMachine,
} from '../machine/object.ts';
import { phaseOf } from '../machine/prepared.ts';
import { statusPatch } from '../machine/status.ts';
import { isBeingUpdated } from '../../workflows/api/phases.ts';
import { Budgets } from './budgets.ts';
import { formatLate } from './messages.ts';
import type { DrainProgress } from './progress.ts';
import { nowMs } from '../system/system.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';

interface DrainStatusContext {
  control: KubeClient;
  target: KubeClient;
  warn(error: unknown): void;
}

interface Statement {
  /** Digest of what changes it: the same is not written twice. Empty when nothing is wrong. */
  key: string;
  state: 'Failed' | 'Processing';
  description: string;
  event?: Pick<EventText, 'type' | 'reason' | 'message'>;
}

type DrainSubject = Pick<DrainRequest, 'machine' | 'keepsNode' | 'isForUpdate'>;

const nothingWrong = '';

export class DrainStatus {
  readonly #context: DrainStatusContext;
  readonly #request: DrainSubject;
  readonly #progress: DrainProgress;
  /** This pass wrote or read the text on the Machine. */
  #isSure = false;

  constructor(context: DrainStatusContext, request: DrainSubject, progress: DrainProgress) {
    this.#context = context;
    this.#request = request;
    this.#progress = progress;
  }

  /** Since when passes have been failing in this way, milliseconds. */
  failingSince(error: unknown): number {
    const kind = kindOf(error);
    const known = this.#progress.failing;
    this.#progress.failing = known?.kind === kind ? known : { kind, since: nowMs() };
    return this.#progress.failing.since;
  }

  /** A pass could not do what it has to. */
  async failed(message: string): Promise<void> {
    await this.#say({
      key: `failing: ${this.#progress.failing?.kind}`,
      state: 'Failed',
      description: notYet(message),
      event: { type: 'Warning', reason: 'DrainFailed', message },
    });
  }

  /** A pass did what it could. */
  async found(report: DrainReport): Promise<void> {
    delete this.#progress.failing;
    const { blockers } = report;
    const key = digestOfBlockers(blockers);
    const isNews = !this.#isTold(key);
    if (key === nothingWrong) {
      const message = 'Nothing blocks the drain any more: the worker goes on evicting pods';
      await this.#say({
        key,
        state: 'Processing',
        description: `${message}. Initiate node drain`,
        event: { type: 'Normal', reason: 'DrainResumed', message },
      });
      return;
    }
    const message = formatBlockers(report);
    await this.#say({
      key,
      state: 'Failed',
      description: notYet(message),
      event: { type: 'Warning', reason: 'DrainBlocked', message },
    });
    if (isNews) await this.#writeOnBudgets(blockers);
  }

  /** Said only where something else was said before: the instance goes at once. */
  async drained(): Promise<void> {
    // The next step says what follows.
    if (this.#request.isForUpdate) return;
    await this.#say({
      key: nothingWrong,
      state: 'Processing',
      description: 'Drain successful. Initiate VM deletion',
    });
  }

  /** Pods that hold nothing up are not asked to leave. */
  left(late: readonly DrainPod[]): void {
    if (late.length === 0) return;
    const { machine, keepsNode = false } = this.#request;
    const end = keepsNode ? 'they stay' : 'they go with the instance';
    const message = `${formatLate(late)}: ${end}`;
    const text = { type: 'Warning', reason: 'PodsCameBack', message, component } as const;
    recordEvent(this.#context.control, machineSubject(machine), text);
  }

  /** These are about to be deleted without a grace period, and without asking budgets. */
  overrides(pods: readonly DrainPod[], why: string): void {
    reportPods({ ...this.#context, ...this.#request, pods, why });
  }

  /** They were. */
  async overrode(pods: readonly DrainPod[], why: string, budgets: Budgets): Promise<void> {
    try {
      await reportBudgets({ ...this.#context, ...this.#request, pods, why }, budgets);
    } catch (error) {
      this.#context.warn(error);
    }
  }

  /** `failure`: what was passed over. */
  async forced(why: string, failure: string | undefined): Promise<void> {
    if (this.#request.isForUpdate) return;
    const description =
      failure === undefined
        ? 'Force Drain successful. Delete Volume Attachments'
        : `${drainFailedMessage}${failure}. However, since it's a force deletion shall continue deletion of VM. Delete Volume Attachments`;
    const message = `Forced, as ${why}: ${failure}`;
    const event = { type: 'Warning', reason: 'DrainForced', message } as const;
    const statement = {
      key: `forced: ${failure ?? ''}`,
      state: 'Processing',
      description,
    } as const;
    await this.#say(failure === undefined ? statement : { ...statement, event });
  }

  /** The name of the Node is another machine's. */
  async foreign(reason: string): Promise<void> {
    const message = `${reason}: it is left alone, and so are its pods`;
    await this.#say({
      key: `foreign: ${reason}`,
      state: 'Processing',
      description: `Skipping drain as ${message}. Initiate VM deletion`,
      event: { type: 'Warning', reason: 'NodeClaimed', message },
    });
  }

  #isTold(key: string): boolean {
    return key === (this.#progress.told ?? nothingWrong);
  }

  async #say(statement: Statement): Promise<void> {
    const { key, state, event } = statement;
    if (this.#isTold(key)) {
      if (state === 'Failed') await this.#sayAgain(statement);
      return;
    }
    const { control, warn } = this.#context;
    const { machine } = this.#request;
    try {
      if (this.#isOnMachine) await this.#tell(statement);
      this.#progress.told = key;
      this.#isSure = true;
    } catch (error) {
      warn(error);
    }
    if (event) recordEvent(control, machineSubject(machine), { ...event, component });
  }

  /**
   * The beginning of the deletion may have been written once more since, by an attempt that was
   * taken for dead: a user is to see that the drain fails. Read once in a pass.
   */
  async #sayAgain(statement: Statement): Promise<void> {
    if (!this.#isOnMachine || this.#isSure) return;
    // A deletion that was undone is no drain any more.
    const isDrained = (now: Machine) => isDeleting(now) || this.#request.isForUpdate === true;
    const lacks = (now: Machine) => isDrained(now) && this.#mayBeSaid(now) && lacksFailure(now);
    try {
      await this.#write(statement, lacks);
      this.#isSure = true;
    } catch (error) {
      this.#context.warn(error);
    }
  }

  /** The last operation of a machine that is kept is its failure. */
  get #isOnMachine(): boolean {
    const { keepsNode = false, isForUpdate = false } = this.#request;
    return !keepsNode || isForUpdate;
  }

  /** Late words must not take the place of what came after the drain. */
  readonly #mayBeSaid = (now: Machine): boolean => {
    if (this.#request.isForUpdate) return !isDeleting(now) && !isBeingUpdated(phaseOf(now));
    return true;
  };

  /** Only of an update in place it has to be read what came since. */
  async #tell(statement: Statement): Promise<void> {
    const { machine, isForUpdate = false } = this.#request;
    if (isForUpdate) await this.#write(statement, this.#mayBeSaid);
    else await patchMachine(this.#context.control, machine, { status: statusOf(statement, false) });
  }

  async #write(statement: Statement, isDue: (now: Machine) => boolean): Promise<void> {
    const { control } = this.#context;
    const { machine, isForUpdate = false } = this.#request;
    const seen = await readSameMachine(control, machine);
    const status = statusOf(statement, isForUpdate);
    if (seen) await patchStatus(control, seen, (now) => (isDue(now) ? status : undefined));
  }

  async #writeOnBudgets(blockers: Blocker[]): Promise<void> {
    const { target, warn } = this.#context;
    const { machine } = this.#request;
    const budgets = new Budgets(target);
    const names = new Set(
      blockers
        .map(({ blockedBy }) => blockedBy)
        .filter((blockedBy) => blockedBy.startsWith(prefix)),
    );
    const message = `It blocks the drain of machine ${machine.namespace}/${machine.name}`;
    const text = { type: 'Warning', reason: 'DrainBlocked', message, component } as const;
    try {
      for (const blockedBy of names) {
        const [namespace = '', name = ''] = blockedBy.slice(prefix.length).split('/');
        const known = await budgets.of(namespace);
        const uid = known.find(({ metadata }) => metadata.name === name)?.metadata.uid;
        if (uid === undefined) continue;
        const kind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
        recordEvent(target, { ...kind, namespace, name, uid }, text);
      }
    } catch (error) {
      warn(error);
    }
  }
}

/** Kind of a failure, equal where only names differ, or how exactly the server did not answer. */
function kindOf(error: unknown): string {
  if (isUnreachable(error)) return 'unreachable';
  if (error instanceof KubeError) return `${error.method} ${error.code} ${error.reason}`;
  return String(error);
}

/** A code that an attempt to find the instance left says nothing of the drain. */
function statusOf({ description, state }: Statement, isForUpdate: boolean): object {
  // MCM v0.62.1 calls only that of a deletion failed.
  const operation = isForUpdate
    ? ({ description, state: 'Processing', type: 'DrainNode' } as const)
    : ({ description, state, type: 'Delete' } as const);
  return statusPatch({ operation, errorCode: null });
}

function lacksFailure(machine: Machine): boolean {
  const { type, state, description = '' } = machine.status?.lastOperation ?? {};
  const isOfDrain = type === 'DrainNode' || state === 'Failed';
  return !(isOfDrain && description.startsWith(drainFailedMessage));
}

function notYet(message: string): string {
  return `${drainFailedMessage}${message}. Will retry in next sync. Initiate node drain`;
}

function formatBlockers({ blockers, podsLeft }: DrainReport): string {
  const words = blockers.map(({ pod, why }) => `${pod}: ${why}`).join('; ');
  return `${formatPodsLeft(podsLeft)}: ${words}`;
}

const prefix = 'PodDisruptionBudget/';

/**
 * Pods that are deleted without a grace period, and budgets that are not asked: an Event on each,
 * and on the Machine.
 */
interface Overriding {
  control: KubeClient;
  target: KubeClient;
  machine: ObjectReference;
  pods: readonly DrainPod[];
  /** Why they are not asked. */
  why: string;
}

const mostNamed = 10;

const forced = { type: 'Warning', reason: 'DrainForced', component } as const;

/** Before they are deleted. */
function reportPods({ control, target, machine, pods, why }: Overriding): void {
  if (pods.length === 0) return;
  const drain = `the drain of machine ${machine.namespace}/${machine.name}`;
  const message = `Deleted without a grace period by ${drain}: ${why}`;
  for (const { namespace, name, uid } of pods) {
    recordEvent(
      target,
      { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      { ...forced, message },
    );
  }
  const words = `Deleting without a grace period, whatever budgets say: ${why}; ${named(pods)}`;
  recordEvent(control, machineSubject(machine), { ...forced, message: words });
}

/**
 * Records an Event on the budgets that cover one of the pods; read last, as nothing waits for it.
 */
async function reportBudgets(overriding: Overriding, budgets: Budgets): Promise<void> {
  const { target, machine, pods, why } = overriding;
  for (const namespace of new Set(pods.map((pod) => pod.namespace))) {
    for (const budget of await budgets.of(namespace)) {
      const taken = pods.filter((pod) => budgetsOf(pod, [budget]).length > 0);
      const { name, uid } = budget.metadata;
      if (taken.length === 0 || uid === undefined) continue;
      const message = `It was not asked by the drain of machine ${machine.namespace}/${machine.name}: ${why}; ${named(taken)}`;
      const subject = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        namespace,
        name,
        uid,
      };
      recordEvent(target, subject, { ...forced, message });
    }
  }
}

function named(pods: readonly DrainPod[]): string {
  const names = pods.map(podKey).toSorted().slice(0, mostNamed).join(', ');
  const more = pods.length > mostNamed ? ` and ${pods.length - mostNamed} more` : '';
  return `${pods.length} ${pods.length === 1 ? 'pod' : 'pods'}: ${names}${more}`;
}
