import { describe, expect, test } from '@jest/globals';
import type {
  DeploymentFacts,
  RolloutOptions,
  SetFacts,
} from '../../../../workflows/plan/rollout/facts.ts';
import {
  givenUpIn,
  planAutomaticRollback,
} from '../../../../workflows/plan/rollout/automatic-rollback.ts';
import { setsToRemove } from '../../../../workflows/plan/rollout/history.ts';
import { planRollback } from '../../../../workflows/plan/rollout/rollback.ts';
import type { DeploymentStep } from '../../../../workflows/plan/rollout/steps.ts';
import { aSet, someFacts, theNewSet } from './deployment-facts.ts';

const idle = (revision: number, changes: Partial<SetFacts> = {}): SetFacts =>
  aSet({ name: `v${revision}`, revision, ...changes });

describe('the history', () => {
  test.each<{ name: string; limit?: number; sets: SetFacts[]; gone: string[] }>([
    { name: 'keeps all without a limit', sets: [idle(1), idle(2)], gone: [] },
    { name: 'keeps as many as it may', limit: 2, sets: [idle(1), idle(2)], gone: [] },
    {
      name: 'loses the lowest revisions',
      limit: 1,
      sets: [idle(3), idle(1), idle(2)],
      gone: ['v1', 'v2'],
    },
    { name: 'keeps none when it may keep none', limit: 0, sets: [idle(1)], gone: ['v1'] },
    {
      name: 'keeps sets that are to have machines',
      limit: 0,
      sets: [idle(1, { replicas: 1 })],
      gone: [],
    },
    {
      name: 'keeps sets that have machines',
      limit: 0,
      sets: [idle(1, { machines: 'U', replicas: 0 })],
      gone: [],
    },
    {
      name: 'keeps sets whose machines are going away',
      limit: 0,
      sets: [idle(1, { going: 1 })],
      gone: [],
    },
    {
      name: 'keeps sets whose status still counts machines',
      limit: 0,
      sets: [idle(1, { reported: 1 })],
      gone: [],
    },
    {
      name: 'keeps sets that have not seen their latest spec',
      limit: 0,
      sets: [idle(1, { isObserved: false })],
      gone: [],
    },
    {
      name: 'does not delete what is being deleted',
      limit: 0,
      sets: [idle(1, { isDeleting: true })],
      gone: [],
    },
    {
      name: 'keeps the set of the template, given up or not',
      limit: 0,
      sets: [idle(1, { isOfTemplate: true })],
      gone: [],
    },
  ])('$name', ({ limit, sets, gone }) => {
    const kept = theNewSet({ name: 'kept' });
    const facts = someFacts({
      sets: [...sets, kept],
      ...(limit !== undefined && { historyLimit: limit }),
    });
    expect(setsToRemove(facts, [kept])).toEqual(gone);
  });
});

describe('a rollback', () => {
  const sets = [idle(1), idle(4), idle(3, { isOfTemplate: true })];
  test.each<{
    name: string;
    to?: number;
    sets?: SetFacts[];
    step: Partial<DeploymentStep> | undefined;
  }>([
    { name: 'is done only when asked for', step: undefined },
    { name: 'goes to its revision', to: 1, step: { action: 'rollBack', set: 'v1', revision: 1 } },
    {
      name: 'to 0 goes to the highest other revision',
      to: 0,
      step: { action: 'rollBack', set: 'v4' },
    },
    {
      name: 'to 0 goes to the highest revision when the template has no set yet',
      to: 0,
      sets: [idle(1), idle(2)],
      step: { action: 'rollBack', set: 'v2' },
    },
    {
      name: 'to an unknown revision is refused, and says which there are',
      to: 2,
      step: {
        action: 'refuseRollback',
        event: 'DeploymentRollbackRevisionNotFound',
        reason: 'Unable to find the revision to rollback to. Known are 1, 3, 4.',
      },
    },
    {
      name: 'to 0 without an earlier set is refused',
      to: 0,
      sets: [idle(1, { isOfTemplate: true })],
      step: {
        action: 'refuseRollback',
        event: 'DeploymentRollbackRevisionNotFound',
        reason: 'Unable to find the last revision. Known are 1.',
      },
    },
    {
      name: 'without any set is refused',
      to: 7,
      sets: [],
      step: {
        action: 'refuseRollback',
        reason: 'Unable to find the revision to rollback to. Known are none.',
      },
    },
    {
      name: 'to the present template is refused',
      to: 3,
      step: { action: 'refuseRollback', event: 'DeploymentRollbackTemplateUnchanged' },
    },
    {
      name: 'to 0 passes over a set that is being deleted',
      to: 0,
      sets: [idle(1), idle(4, { isDeleting: true }), idle(3, { isOfTemplate: true })],
      step: { action: 'rollBack', set: 'v1' },
    },
  ])('$name', ({ to, sets: own = sets, step }) => {
    const facts = someFacts({ sets: own, ...(to !== undefined && { rollbackTo: to }) });
    if (step) expect(planRollback(facts)).toMatchObject(step);
    else expect(planRollback(facts)).toBeUndefined();
  });
});

describe('an automatic rollback', () => {
  const overdue = { reason: 'ProgressDeadlineExceeded', isOverdue: true, isComplete: false };
  const options = (changes: Partial<RolloutOptions> = {}): RolloutOptions => ({
    autoRollback: true,
    faults: [],
    ...changes,
  });
  const sets = [idle(1, { machines: 'AAA' }), theNewSet({ machines: 'UU' })];
  const due: Partial<DeploymentFacts> = { options: options(), progress: overdue, sets };

  test.each<{ name: string; facts: Partial<DeploymentFacts>; action: string | undefined }>([
    { name: 'gives the new set up once it is overdue', facts: due, action: 'giveUp' },
    {
      name: 'is off by default',
      facts: { ...due, options: options({ autoRollback: false }) },
      action: undefined,
    },
    {
      name: 'waits for the deadline',
      facts: { ...due, progress: { ...overdue, isOverdue: false } },
      action: undefined,
    },
    {
      name: 'does not give up new machines because old ones do not go',
      facts: { ...due, sets: [idle(1, { going: 1 }), theNewSet({ machines: 'AA' })] },
      action: undefined,
    },
    {
      name: 'needs a set to go back to',
      facts: { ...due, sets: [theNewSet({ machines: 'U' })] },
      action: undefined,
    },
    {
      name: 'is done once',
      facts: { ...due, options: options({ rolledBackFrom: 'new' }) },
      action: undefined,
    },
    {
      name: 'is forgotten once another template has its set',
      facts: { ...due, options: options({ rolledBackFrom: 'v1' }) },
      action: 'forgetGivenUp',
    },
    {
      name: 'is remembered while another template has none',
      facts: { ...due, options: options({ rolledBackFrom: 'v1' }), sets: [idle(1)] },
      action: undefined,
    },
  ])('$name', ({ facts, action }) => {
    expect(planAutomaticRollback(someFacts(facts))?.action).toBe(action);
  });

  test('counts while the template is the one that was given up', () => {
    const given = someFacts({ ...due, options: options({ rolledBackFrom: 'new' }) });
    expect(givenUpIn(given)?.name).toBe('new');
    const other = someFacts({ ...due, options: options({ rolledBackFrom: 'v1' }) });
    expect(givenUpIn(other)).toBeUndefined();
  });
});
