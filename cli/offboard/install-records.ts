/** Records of an install in Temporal for one namespace: Schedules, open workflows, claims. */
import type { Client, ScheduleDescription } from '@temporalio/client';
import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { checkNames, roundsName } from '../../workers/checks/checks.ts';
import { claimHolder, installClaimId, namespaceClaimId } from '../../workers/temporal/claims.ts';

export interface Removal {
  kind: 'schedule' | 'workflow' | 'claim' | 'Lease';
  name: string;
  /** Run of a workflow. */
  runId?: string;
  /** A record that is gone by then counts as removed. */
  remove(): Promise<void>;
}

export interface InstallOfNamespace {
  cluster: string;
  clusterName?: string | undefined;
  namespace: string;
  /** Undefined: the one that the namespace is claimed for. */
  install?: string | undefined;
}

export class InstallRecords {
  readonly #client: Client;
  readonly #install: InstallOfNamespace;
  /** Name of the install. */
  #name: string | undefined;
  /** The install has no other namespace: its rounds go with this one. */
  #isLast = false;

  constructor(client: Client, install: InstallOfNamespace) {
    this.#client = client;
    this.#install = install;
  }

  /**
   * Throws where another install has the namespace. Not `isKnown`: no install has, and none is
   * named, so nothing was searched.
   */
  async find(): Promise<{ runs: Removal[]; claims: Removal[]; isKnown: boolean }> {
    const { cluster, namespace } = this.#install;
    const claim = namespaceClaimId(cluster, namespace);
    const holder = await claimHolder(this.#client, claim);
    const name = this.#installOf(holder);
    this.#name = name;
    if (name === undefined) return { runs: [], claims: [], isKnown: false };
    this.#isLast = !(await this.#servesOthers(name));
    // Schedules first, those that start the runs of others before them: they start no more runs.
    const runs = [
      ...(this.#isLast ? await this.#rounds(name) : []),
      ...(await schedulesOf(this.#client, this.#install, name)),
      ...(await this.openRuns()),
    ];
    const claims = holder === undefined ? [] : [this.#claim(claim)];
    // By default an install is called after its only namespace.
    const ofInstall = installClaimId(cluster, name);
    const isAlone = name === namespace;
    const isHeld = isAlone && (await claimHolder(this.#client, ofInstall)) !== undefined;
    if (isHeld && this.#isLast) claims.push(this.#claim(ofInstall));
    return { runs, claims, isKnown: true };
  }

  /** A fleet may have the name of a namespace: another install must not get its queues. */
  async #servesOthers(name: string): Promise<boolean> {
    const { cluster, clusterName, namespace } = this.#install;
    const install = clusterName === undefined ? name : `${clusterName}/${name}`;
    const own = namespaceClaimId(cluster, namespace);
    const query = 'WorkflowType="claim" AND ExecutionStatus="Running"';
    for await (const { workflowId, memo } of this.#client.workflow.list({ query })) {
      const isOfNamespace = workflowId.startsWith(namespaceClaimId(cluster, ''));
      if (isOfNamespace && workflowId !== own && memo?.['holder'] === install) return true;
    }
    return false;
  }

  /** The holder of a claim on a namespace is an install, after the name of its cluster. */
  #installOf(holder: string | undefined): string | undefined {
    const { install, namespace, clusterName } = this.#install;
    const prefix = clusterName === undefined ? '' : `${clusterName}/`;
    if (holder === undefined) return install;
    const isOurs = holder.startsWith(prefix) && !holder.slice(prefix.length).includes('/');
    const name = isOurs ? holder.slice(prefix.length) : undefined;
    if (name !== undefined && (install === undefined || install === name)) return name;
    const named =
      install === undefined ? 'an install without --cluster-name' : `${prefix}${install}`;
    throw new Error(`Namespace ${namespace} is claimed by install ${holder}, not by ${named}.`);
  }

  /** As they are listed now, also those of its checks. None before `find` has found the install. */
  async openRuns(): Promise<Removal[]> {
    const name = this.#name;
    if (name === undefined) return [];
    const { cluster, namespace } = this.#install;
    const taskQueue = taskQueueOf({ cluster, name });
    const found: Removal[] = [];
    const wanted = { taskQueue, namespace, withRounds: this.#isLast };
    for await (const { workflowId, runId } of openRunsOf(this.#client, wanted)) {
      found.push({
        kind: 'workflow',
        name: workflowId,
        runId,
        remove: () => this.#terminate(workflowId, runId),
      });
    }
    return found;
  }

  async #rounds(name: string): Promise<Removal[]> {
    const { cluster, clusterName } = this.#install;
    const id = scheduleIdOf(roundsName, { name, clusterName });
    const handle = this.#client.schedule.getHandle(id);
    const description = await orGone(handle.describe());
    const isOurs = description && inputOf(description).cluster === cluster;
    return isOurs ? [{ kind: 'schedule', name: id, remove: () => orGone(handle.delete()) }] : [];
  }

  #claim(workflowId: string): Removal {
    return { kind: 'claim', name: workflowId, remove: () => this.#terminate(workflowId) };
  }

  async #terminate(workflowId: string, runId?: string): Promise<void> {
    const handle = this.#client.workflow.getHandle(workflowId, runId);
    await orGone(handle.terminate('millwright offboard'));
  }
}

/** Also those that the install keeps as a fleet. `name`: of the install. */
export async function schedulesOf(
  client: Client,
  scope: InstallOfNamespace,
  name: string,
): Promise<Removal[]> {
  const { clusterName, namespace } = scope;
  const install = { name, clusterName };
  const ids = checkNames.flatMap((check) => [
    scheduleIdOf(check, { ...install, fleetNamespace: namespace }),
    scheduleIdOf(check, install),
  ]);
  const found: Removal[] = [];
  for (const id of ids) {
    const handle = client.schedule.getHandle(id);
    const description = await orGone(handle.describe());
    if (!description || !isFor(description, scope)) continue;
    found.push({ kind: 'schedule', name: id, remove: () => orGone(handle.delete()) });
  }
  return found;
}

/** Installs of one namespace have Schedules without its name. */
function isFor(
  description: ScheduleDescription,
  { cluster, namespace }: InstallOfNamespace,
): boolean {
  const input = inputOf(description);
  return input.cluster === cluster && input.namespace === namespace;
}

function inputOf({ action }: ScheduleDescription): { cluster?: unknown; namespace?: unknown } {
  const [input] = action.type === 'startWorkflow' ? (action.args ?? []) : [];
  return Object(input);
}

/**
 * Workflows of the namespace that run on this queue; a list lags behind by seconds. `withRounds`:
 * also the round of the install, which has no search attribute of a namespace. Default false.
 */
export function openRunsOf(
  client: Client,
  wanted: { taskQueue: string; namespace: string; withRounds?: boolean },
): ReturnType<Client['workflow']['list']> {
  const { taskQueue, namespace, withRounds = false } = wanted;
  const ofNamespace = `KubeNamespace="${namespace}"`;
  const which = withRounds ? `(${ofNamespace} OR WorkflowType="safety")` : ofNamespace;
  const query = `${which} AND TaskQueue="${taskQueue}" AND ExecutionStatus="Running"`;
  return client.workflow.list({ query });
}

/** Awaits a call that removes something: false when there was nothing. */
export async function wasThere(removal: Promise<unknown>): Promise<boolean> {
  return (await orGone(removal.then(() => true))) ?? false;
}

async function orGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError || error instanceof WorkflowNotFoundError) {
      return undefined;
    }
    throw error;
  }
}
