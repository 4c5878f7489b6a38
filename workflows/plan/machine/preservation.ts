/**
 * Is a machine to be kept for inspection, and until when. Nothing here deletes a machine: while it
 * is preserved its MachineSet leaves it alone.
 */
import type { MachinePhase } from '../../api/phases.ts';
import { defined } from '../../values/defined.ts';
import type { Preserve } from '../../api/preserve-value.ts';
import { allowedPreserves, preserveOf } from '../../api/preserve-value.ts';

/** The annotations as they stand, nonsense included; an empty one is like none. */
export interface PreservationRequests {
  machine?: string;
  /** Absent also when there is no Node. */
  node?: string;
  /** Value of the Node's annotation at the last check. */
  lastApplied?: string;
}

export interface PreservationFacts {
  requests: PreservationRequests;
  hasNode: boolean;
  phase: MachinePhase;
  /** `status.currentStatus.preserveExpiryTime`, milliseconds. */
  expiresAt?: number;
  timeoutSeconds: number;
}

/** The request that holds, and the faults of those that cannot be understood. */
export interface EffectiveRequest {
  value?: Preserve;
  /** Object whose annotation counts: its value replaces the Machine's own. */
  from: 'machine' | 'node';
  faults: string[];
}

export type PreservationPlan = EffectiveRequest &
  (
    | { action: 'none' }
    /** `until`: milliseconds. `isNew`: it is on no object yet. */
    | { action: 'preserve'; value: Preserve; until: number; isNew: boolean; isToBeDrained: boolean }
    /** `forgets`: the annotations go with it. */
    | { action: 'stop'; reason: StopReason; forgets: boolean }
  );

export type StopReason = 'expired' | 'recovered' | 'withdrawn';

/**
 * The annotation of the Node goes before that of the Machine, also when it was removed. A value
 * that is not valid counts as absent, so that a typing error ends no preservation; nor does a Node
 * that was deleted.
 */
export function effectiveRequest({
  requests,
  hasNode,
}: Pick<PreservationFacts, 'requests' | 'hasNode'>): EffectiveRequest {
  const { machine = '', node = '', lastApplied = '' } = requests;
  const word = hasNode ? wordOfNode(node, lastApplied) : lastApplied;
  const isOfNode = hasNode ? `${word}${lastApplied}` !== '' : machine === '' && word !== '';
  const value = preserveOf(isOfNode ? word : machine);
  return defined({
    value,
    from: isOfNode ? ('node' as const) : ('machine' as const),
    faults: [...faultsOf('Node', hasNode ? node : ''), ...faultsOf('Machine', machine)],
  });
}

function wordOfNode(node: string, lastApplied: string): string {
  return node === '' || preserveOf(node) !== undefined ? node : lastApplied;
}

function faultsOf(kind: string, text: string): string[] {
  return text === '' || preserveOf(text) !== undefined ? [] : [faultOf(kind, text)];
}

function faultOf(kind: string, text: string): string {
  return `${kind}: annotation node.machine.sapcloud.io/preserve: ${JSON.stringify(text)} is not understood and counts as absent: use ${allowedPreserves}`;
}

/** @param now Milliseconds. */
export function planPreservation(facts: PreservationFacts, now: number): PreservationPlan {
  const request = effectiveRequest(facts);
  const { value } = request;
  const { expiresAt, phase } = facts;
  if (value === undefined || value === 'false') return withdrawn(request, facts);
  if (expiresAt !== undefined && expiresAt <= now) {
    return { ...request, action: 'stop', reason: 'expired', forgets: true };
  }
  const hasFailed = phase === 'Failed';
  if (value !== 'now' && !hasFailed) return recovered(request, value, expiresAt);
  // In whole seconds, as Kubernetes writes times: what is read back is what was planned.
  const until = expiresAt ?? Math.ceil((now + facts.timeoutSeconds * 1000) / 1000) * 1000;
  const isNew = expiresAt === undefined;
  return { ...request, action: 'preserve', value, until, isNew, isToBeDrained: hasFailed };
}

function withdrawn(request: EffectiveRequest, { expiresAt }: PreservationFacts): PreservationPlan {
  return expiresAt === undefined
    ? { ...request, action: 'none' }
    : { ...request, action: 'stop', reason: 'withdrawn', forgets: false };
}

/**
 * Plans the end for a machine that recovered. An automatic preservation was not requested, so that
 * it leaves nothing behind, its share of the limit included.
 */
function recovered(
  request: EffectiveRequest,
  value: Preserve,
  expiresAt: number | undefined,
): PreservationPlan {
  const forgets = value === 'auto-preserved';
  if (expiresAt === undefined && !forgets) return { ...request, action: 'none' };
  return { ...request, action: 'stop', reason: 'recovered', forgets };
}
