/** Machines to plan for, and how a row of a table is checked. */
import type { MachineStep } from '../../../../workflows/plan/machine/steps.ts';
import type { MachineFacts } from '../../../../workflows/plan/machine/facts.ts';
import { planMachine } from '../../../../workflows/plan/machine/plan.ts';

export const now = 1_000_000;
export const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };

export const asked = { byForce: false, options: '' };

/** A machine that was just seen for the first time. */
export function facts(changes: Partial<MachineFacts> = {}): MachineFacts {
  return {
    isGone: false,
    isDeleting: false,
    hasFinalizer: true,
    drain: asked,
    isRead: false,
    wasCreateSent: false,
    isOwned: true,
    phase: '',
    isRecorded: false,
    usesTarget: true,
    isNodeReady: false,
    isNodeBehind: false,
    createDeadline: now + 1_200_000,
    ...changes,
  };
}

export const prepared = { isRead: true, provider: 'virtual' };
export const launched = { ...prepared, wasCreateSent: true, instance };
export const pending = { ...launched, isRecorded: true, phase: 'Pending' as const };
export const running = { ...pending, isNodeReady: true, phase: 'Running' as const };
export const orphanedAndFailed = {
  isOwned: false,
  phase: 'Failed' as const,
  createDeadline: now - 1,
};
export const deleted = { isDeleting: true };
export const teardown = { stage: 'deleting' } as const;

export type Failing = NonNullable<MachineFacts['failure']>;

export function failing(changes: { attempts?: number; retryAt?: number } = {}): Failing {
  const detail = { code: 'Internal', message: 'no luck', isSettled: true } as const;
  return { detail, attempts: 1, retryAt: now + 4_000, ...changes };
}

export function plan(changes: Partial<MachineFacts>): MachineStep {
  return planMachine(facts(changes), now);
}

export interface Row {
  name: string;
  given: Partial<MachineFacts>;
  action: MachineStep['action'];
  reason?: string;
  until?: number;
}

export const containing = (text: string): unknown => expect.stringContaining(text);

/** What the step of a row has to match. */
export function wantedOf({ action, reason, until }: Row): object {
  const words = reason !== undefined && { reason: containing(reason) };
  return { action, ...words, ...(until !== undefined && { until }) };
}
