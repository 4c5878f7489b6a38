import type { Client } from '@temporalio/client';
import { readQueueVersions } from '../../../workers/temporal/queue-status.ts';

const deploymentName = 'shoot_millwright';
const before = { deploymentName, buildId: '0.1.0-a' };
const next = { deploymentName, buildId: '0.2.0-b' };

function clientOf(pollers: object[]): Client {
  const part: object = {
    options: { namespace: 'machines' },
    workflowService: { describeTaskQueue: async () => ({ pollers }) },
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
  };
  return Object.assign(Object.create(null), part);
}

describe('who polls is told by the clock of the server,', () => {
  test.each([
    { clock: 'as by that of this host', skewSeconds: 0 },
    { clock: 'which is hours late', skewSeconds: -10_000 },
    { clock: 'which is hours early', skewSeconds: 10_000 },
  ])('$clock', async ({ skewSeconds }) => {
    const now = Math.floor(Date.now() / 1_000) + skewSeconds;
    const poller = (deploymentOptions: object, age: number) => ({
      deploymentOptions,
      lastAccessTime: { seconds: now - age },
    });
    const client = clientOf([poller(before, 180), poller(next, 60), poller({}, 0)]);
    expect((await readQueueVersions(client, 'q')).polling).toEqual([next, undefined]);
  });

  test('and nobody does where there are none', async () => {
    expect((await readQueueVersions(clientOf([]), 'q')).polling).toEqual([]);
  });
});
