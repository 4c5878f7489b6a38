import type { WorkflowHandle } from '@temporalio/client';
import type { Claimant } from '../../../workers/temporal/claims.ts';
import {
  claimsOf,
  keepClaims,
  lostClaim,
  refusedClaim,
  restoreClaims,
  untilClaimed,
} from '../../../workers/temporal/claims.ts';
import { taskQueueOf } from '../../../workflows/contracts/task-queues.ts';
import { Scope } from '../../../workers/process/scope.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { logLines } from '../log/log-lines.ts';

const temporal = TemporalForTests.ofFile();

interface Facts {
  cluster: string;
  name?: string;
  clusterName?: string;
  target?: string;
  namespace?: string;
}

function claimantOf({ cluster, target = cluster, namespace = 'shoot', ...more }: Facts): Claimant {
  const install = { cluster, name: more.name ?? namespace };
  const { clusterName } = more;
  const named = clusterName === undefined ? {} : { clusterName };
  const identity = { ...install, ...named, target, taskQueue: taskQueueOf(install) };
  return { identity, namespace };
}

async function claim(facts: Facts, ...takeOver: string[]): Promise<void> {
  const { log } = logLines();
  const waiting = { log, signal: new AbortController().signal };
  await untilClaimed(temporal.client, { ...claimantOf(facts), takeOver }, waiting);
}

async function typesOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes, ...event }) => [
    ...(workflowTaskCompletedEventAttributes ? ['TaskCompleted'] : []),
    ...(event.timerStartedEventAttributes ? ['TimerStarted'] : []),
  ]);
}

const idsClaim = 'claim/ids';

describe('claims', () => {
  test('that are gone are made again, and one that another has taken is said', async () => {
    const facts = { cluster: 'lost', clusterName: 'lost' };
    const claimant = claimantOf(facts);
    await claim(facts);
    for (const { workflowId } of claimsOf(claimant))
      await temporal.client.workflow.getHandle(workflowId).terminate();
    expect(await lostClaim(temporal.client, claimant)).toBeDefined();
    expect(await refusedClaim(temporal.client, claimant)).toBeUndefined();
    expect(await restoreClaims(temporal.client, claimant)).toBeUndefined();
    expect(await lostClaim(temporal.client, claimant)).toBeUndefined();
    await claim({ ...facts, name: 'other' }, 'lost/shoot');
    const refusal = { message: expect.stringContaining('already claimed by lost/other') };
    expect(await restoreClaims(temporal.client, claimant)).toMatchObject(refusal);
    expect(await refusedClaim(temporal.client, claimant)).toMatchObject(refusal);
  });

  test('are taken again while a process runs, which ends when another has taken one', async () => {
    const facts = { cluster: 'kept', clusterName: 'kept' };
    const { log } = logLines();
    await claim(facts);
    const scope = new Scope(log);
    keepClaims(temporal.client, claimantOf(facts), { scope, log, everyMs: 50 });
    for (const { workflowId } of claimsOf(claimantOf(facts))) await temporal.end(workflowId);
    await eventually('they are taken again', async () => {
      return (await lostClaim(temporal.client, claimantOf(facts))) === undefined;
    });
    // The other is refused where this one is quicker for once.
    await eventually('another takes over', () => claim({ ...facts, name: 'other' }, 'kept/shoot'));
    await eventually('it ends', () => scope.signal.aborted);
    expect(String(scope.signal.reason)).toContain('already claimed by kept/other');
    await scope.close();
  });

  // Each test has cluster names and clusters of its own.
  test('are made once, by whichever process comes first, and stay', async () => {
    const facts = { cluster: 'one', clusterName: 'one' };
    await Promise.all([claim(facts), claim(facts), claim(facts)]);
    await claim(facts);
    for (const { workflowId, holder } of claimsOf(claimantOf(facts))) {
      const { status, memo } = await temporal.client.workflow.getHandle(workflowId).describe();
      expect({ status: status.name, holder: memo?.['holder'] }).toEqual({
        status: 'RUNNING',
        holder,
      });
    }
    expect(await lostClaim(temporal.client, claimantOf(facts))).toBeUndefined();
  });

  test('refuse a second control cluster without a name of its own', async () => {
    await claim({ cluster: 'first' });
    await expect(claim({ cluster: 'second' })).rejects.toThrow(
      /ids <kind>\/<namespace>\/<name>.* control cluster second: already claimed by first\. .*--cluster-name.*--take-over=first/,
    );
    await claim({ cluster: 'second', clusterName: 'named' });
    await temporal.end(idsClaim);
  });

  test('let one of two clusters in that start at the same moment', async () => {
    const both = ['left', 'right'];
    const ends = await Promise.allSettled(
      both.map((cluster) => claim({ cluster, clusterName: 'race' })),
    );
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('refuse a second install of the same identity that serves another target cluster', async () => {
    const base = { cluster: 'seed', clusterName: 'seed', name: 'blue' };
    await claim({ ...base, target: 'shoot-1' });
    await expect(claim({ ...base, target: 'shoot-2' })).rejects.toThrow(
      /already claimed by shoot-1\. .*--install.*--take-over=shoot-1/,
    );
    await claim({ ...base, name: 'green', namespace: 'other', target: 'shoot-2' });
  });

  test('give a namespace to one install at a time, and an install several namespaces', async () => {
    const base = { cluster: 'garden', clusterName: 'garden' };
    await claim({ ...base, name: 'blue', namespace: 'a' });
    await claim({ ...base, name: 'blue', namespace: 'b' });
    await expect(claim({ ...base, name: 'green', namespace: 'a' })).rejects.toThrow(
      /Namespace a of .*: already claimed by garden\/blue\. .*--take-over=garden\/blue/,
    );
  });

  test('go to a cluster that replaces another, once and for one of two', async () => {
    const base = { clusterName: 'rebuilt' };
    await claim({ ...base, cluster: 'old' });
    const ends = await Promise.allSettled([
      claim({ ...base, cluster: 'new' }, 'old'),
      claim({ ...base, cluster: 'newer' }, 'old'),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(claim({ ...base, cluster: 'old' })).rejects.toThrow(/already claimed by new/);
    const lost = await lostClaim(temporal.client, claimantOf({ ...base, cluster: 'old' }));
    expect(lost?.workflowId).toBe('claim/ids/rebuilt');
  });

  test('are free again when their workflow was terminated by hand', async () => {
    await claim({ cluster: 'gone', clusterName: 'free' });
    await temporal.end('claim/ids/free');
    const next = { cluster: 'next', clusterName: 'free' };
    await claim(next);
    expect(await lostClaim(temporal.client, claimantOf(next))).toBeUndefined();
  });

  test('outlive the workers, which hold them without a timer or a poll', async () => {
    const facts = { cluster: 'quiet', clusterName: 'quiet' };
    await claim(facts);
    const handle = temporal.client.workflow.getHandle('claim/ids/quiet');
    const { taskQueue } = claimantOf(facts).identity;
    await temporal.withWorkers(taskQueue, { kube: { none: () => undefined } }, async () => {
      await handle.cancel();
      await eventually('the worker has seen the cancellation', async () => {
        return (await typesOf(handle)).filter((type) => type === 'TaskCompleted').length > 0;
      });
    });
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(await typesOf(handle)).not.toContain('TimerStarted');
  });
});
