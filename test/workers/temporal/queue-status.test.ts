import type { Client } from '@temporalio/client';
import { readQueue } from '../../../workers/temporal/queue-status.ts';

const deploymentName = 'shoot_millwright';
const before = { deploymentName, buildId: '0.1.0-a' };
const next = { deploymentName, buildId: '0.2.0-b' };
const none = { deploymentName: '', buildId: '@temporalio/worker@1.24.0' };

const time = (seconds: number) => ({ seconds: { toNumber: () => seconds }, nanos: 500_000_000 });

const poller = (version: object, seconds: number) => ({
  deploymentOptions: version,
  lastAccessTime: time(seconds),
});

/** Of a queue whose oldest task waits for 40.5 s. */
function clientOf(answer: object): Client {
  const describeTaskQueue = async () => ({
    stats: { approximateBacklogAge: time(40) },
    ...answer,
  });
  const part: object = {
    options: { namespace: 'machines' },
    workflowService: { describeTaskQueue },
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
  };
  return Object.assign(Object.create(null), part);
}

describe('a worker has asked', () => {
  test.each([
    { name: 'without versions', pollers: [poller(none, 3), poller({}, 5)], polledAt: 5_500 },
    {
      name: 'of the current version',
      pollers: [poller(before, 3), poller(next, 9)],
      versioningInfo: { currentDeploymentVersion: before },
      polledAt: 3_500,
    },
    {
      name: 'of the version that gets a share',
      pollers: [poller(next, 9)],
      versioningInfo: {
        currentDeploymentVersion: before,
        rampingDeploymentVersion: next,
        rampingVersionPercentage: 100,
      },
      polledAt: 9_500,
    },
  ])('when it is $name', async ({ polledAt, ...answer }) => {
    expect(await readQueue(clientOf(answer), 'q')).toEqual({ polledAt, backlogMs: 40_500 });
  });
});

describe('no worker has asked that would get a task', () => {
  test.each([
    { name: 'while those of the current version are gone', currentDeploymentVersion: before },
    { name: 'while no version is current', currentDeploymentVersion: null },
    {
      name: 'while the share is none',
      currentDeploymentVersion: before,
      rampingDeploymentVersion: next,
      rampingVersionPercentage: 0,
    },
  ])('$name', async ({ name: _name, ...versioningInfo }) => {
    const client = clientOf({ pollers: [poller(next, 9)], versioningInfo });
    expect(await readQueue(client, 'q')).toEqual({ backlogMs: 40_500 });
  });

  test('and of activities, which have no versions, each counts', async () => {
    const versioningInfo = { currentDeploymentVersion: before };
    const client = clientOf({ pollers: [poller(none, 9)], versioningInfo });
    expect(await readQueue(client, 'q', 'activity')).toMatchObject({ polledAt: 9_500 });
  });
});
