/**
 * What an install has for itself in a Temporal namespace. Each claim is a workflow that is named
 * after what is claimed and remembers its holder: starting one is atomic, so of two processes that
 * claim at the same moment one is refused and reads who was first.
 * docs/decisions/0009-install-identity.md.
 */
import type { Client, WorkflowExecutionStatusName } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { ClaimInput } from '../../workflows/claim.ts';
import { plainMemo } from '../../workflows/contracts/plain-memo.ts';
import type { Waiting } from '../kube/clients.ts';
import type { Config } from '../config/config.ts';
import type { Identity } from './identity.ts';
import { every } from '../../activities/system/system.ts';
import type { Logger } from '../log/logger.ts';
import { untilReached } from '../process/reach.ts';
import type { Scope } from '../process/scope.ts';

export interface Claim {
  workflowId: string;
  holder: string;
  /** Name of what is claimed, for people. */
  what: string;
  /** Advice where another holds it. */
  advice: string;
}

export interface Claimant {
  identity: Identity;
  /** Namespace of the control cluster that is served. */
  namespace: string;
}

export function claimantOf(
  namespace: string,
  { install }: Pick<Config, 'install'>,
  identity: Identity,
): Claimant & { takeOver: readonly string[] } {
  return { identity, namespace, takeOver: install.takeOver };
}

export function installClaimId(cluster: string, install: string): string {
  return `claim/install/${cluster}/${install}`;
}

export function namespaceClaimId(cluster: string, namespace: string): string {
  return `claim/namespace/${cluster}/${namespace}`;
}

export function claimsOf({ identity, namespace }: Claimant): Claim[] {
  const { cluster, name, clusterName } = identity;
  const target = identity.targets ?? identity.target ?? 'none';
  const ids = clusterName === undefined ? '<kind>/' : `<kind>/${clusterName}/`;
  const install = clusterName === undefined ? name : `${clusterName}/${name}`;
  return [
    {
      workflowId: ['claim/ids', ...(clusterName === undefined ? [] : [clusterName])].join('/'),
      holder: cluster,
      what: `The ids ${ids}<namespace>/<name> of workflows, for control cluster ${cluster}`,
      advice:
        'Give all processes of this control cluster another --cluster-name, or another Temporal namespace.',
    },
    {
      workflowId: installClaimId(cluster, name),
      holder: target,
      what: `Install ${name} of control cluster ${cluster}, for target cluster ${target}`,
      advice: 'Give the processes for this target cluster an --install of their own.',
    },
    {
      workflowId: namespaceClaimId(cluster, namespace),
      holder: install,
      what: `Namespace ${namespace} of control cluster ${cluster}, for install ${install}`,
      advice: 'Serve another --namespace here, or stop the other install.',
    },
  ];
}

/** Its message says what to set. */
export class ClaimRefusal extends Error {
  override name = 'ClaimRefusal';
  constructor({ what, advice, holder: wanted }: Claim, holder: string) {
    const takeOver = `If ${holder} is gone for good and ${wanted} replaces it: --take-over=${holder}, for one start.`;
    super(`${what}: already claimed by ${holder}. ${advice} ${takeOver}`);
  }
}

/**
 * Claims everything, or throws a ClaimRefusal. Watcher and worker do it at each start, also at
 * once.
 */
export async function untilClaimed(
  temporal: Client,
  claimant: Claimant & { takeOver: readonly string[] },
  waiting: Waiting,
): Promise<void> {
  const refusal = await untilReached({
    server: 'Temporal, for the claims',
    attempt: () => claimAll(temporal, claimant, waiting.log),
    ...waiting,
  });
  if (refusal) throw refusal;
}

async function claimAll(
  temporal: Client,
  claimant: Claimant & { takeOver: readonly string[] },
  log: Waiting['log'],
): Promise<ClaimRefusal | undefined> {
  for (const claim of claimsOf(claimant)) {
    const { holder } = await take(temporal, claim, claimant);
    if (holder === claim.holder) continue;
    if (!claimant.takeOver.includes(holder)) return new ClaimRefusal(claim, holder);
    const { workflowId } = claim;
    log.warn({ claim: workflowId, from: holder, to: claim.holder }, 'claim taken over');
    await release(temporal, workflowId, claim.holder);
    const after = await take(temporal, claim, claimant);
    // Another process took it over at the same moment, for another holder.
    if (after.holder !== claim.holder) return new ClaimRefusal(claim, after.holder);
  }
  return undefined;
}

/** Returns who holds it now. */
async function take(
  temporal: Client,
  { workflowId, holder, what }: Claim,
  { identity }: Claimant,
): Promise<{ holder: string }> {
  const input: ClaimInput = { cluster: identity.cluster, holder };
  try {
    await temporal.workflow.start('claim', {
      workflowId,
      taskQueue: identity.taskQueue,
      args: [input],
      memo: plainMemo({ holder }),
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: what.slice(0, 200),
      staticDetails: `${what}.\n\nTerminate this workflow to give it back.`,
    });
    return { holder };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const present = await claimHolder(temporal, workflowId);
    if (present !== undefined) return { holder: present };
    throw new Error(`${workflowId} was given back just now`, { cause: error });
  }
}

/** A claim that a person has paused keeps its id from a second one as well. */
const isOpen = ({ name }: { name: WorkflowExecutionStatusName }): boolean =>
  name === 'RUNNING' || name === 'PAUSED';

/** Undefined: no holder. */
export async function claimHolder(
  temporal: Client,
  workflowId: string,
): Promise<string | undefined> {
  try {
    const { status, memo } = await temporal.workflow.getHandle(workflowId).describe();
    return isOpen(status) ? String(memo?.['holder']) : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Claims again what is gone, as with a database that was lost, or when a person ended all
 * workflows: another install could take it, and commands would not know that this one is here.
 * Returns why not, where another holds it by now.
 */
export async function restoreClaims(
  temporal: Client,
  claimant: Claimant,
): Promise<ClaimRefusal | undefined> {
  for (const claim of claimsOf(claimant)) {
    const present = await claimHolder(temporal, claim.workflowId);
    const holder = present ?? (await take(temporal, claim, claimant)).holder;
    if (holder !== claim.holder) return new ClaimRefusal(claim, holder);
  }
  return undefined;
}

/**
 * What another holds by now. Claims that are gone stay so: a namespace that is taken off board has
 * no watcher any more, and its worker may run on for a while.
 */
export async function refusedClaim(
  temporal: Client,
  claimant: Claimant,
): Promise<ClaimRefusal | undefined> {
  for (const claim of claimsOf(claimant)) {
    const holder = await claimHolder(temporal, claim.workflowId);
    if (holder !== undefined && holder !== claim.holder) return new ClaimRefusal(claim, holder);
  }
  return undefined;
}

/** A read is no action of Temporal Cloud. */
const claimsEveryMs = 60_000;

interface KeptClaims {
  scope: Pick<Scope, 'add' | 'end'>;
  log: Pick<Logger, 'warn'>;
  /** Default: what is gone is claimed again. */
  check?: typeof restoreClaims;
  everyMs?: number;
}

/**
 * What holds the claims ends where another has taken one: two that act on the same ids would undo
 * each other's work.
 */
export function keepClaims(
  temporal: Client,
  claimant: Claimant,
  { scope, log, check = restoreClaims, everyMs = claimsEveryMs }: KeptClaims,
): void {
  let isTold = false;
  const restore = async (): Promise<void> => {
    try {
      const refusal = await check(temporal, claimant);
      isTold = false;
      if (refusal) scope.end(refusal.message);
    } catch (err) {
      if (!isTold) log.warn({ err }, 'the claims of this install cannot be read');
      isTold = true;
    }
  };
  const timer = every(everyMs, () => void restore(), { keepsAlive: false });
  scope.add('claims', () => timer.cancel());
}

/** Of another holder; where that is no more, nothing. */
async function release(temporal: Client, workflowId: string, newHolder: string): Promise<void> {
  try {
    const { runId, status, memo } = await temporal.workflow.getHandle(workflowId).describe();
    if (!isOpen(status) || memo?.['holder'] === newHolder) return;
    await temporal.workflow
      .getHandle(workflowId, runId)
      .terminate(`taken over by ${newHolder} (--take-over)`);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Asked again before anything is done to workflows that seem left over. Returns the first claim
 * that another holds.
 */
export async function lostClaim(temporal: Client, claimant: Claimant): Promise<Claim | undefined> {
  for (const claim of claimsOf(claimant)) {
    if ((await claimHolder(temporal, claim.workflowId)) !== claim.holder) return claim;
  }
  return undefined;
}
