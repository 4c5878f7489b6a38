import { BlockedDrains } from '../../../activities/drain/wake-ups/blocked-drains.ts';
import type { DrainContext } from '../../../activities/drain/context.ts';
import { drainNode } from '../../../activities/drain/drain-node.ts';
import type { DrainProgress } from '../../../activities/drain/progress.ts';
import { WatchedAttachments } from '../../../activities/drain/wake-ups/watched-attachments.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import type { DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import { aNode, aPod } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf } from '../../support/world.ts';

function aPodWithVolume(name: string, priority = 0, claim = name): object {
  const volumes = [{ persistentVolumeClaim: { claimName: claim } }];
  return aPod({ metadata: { name }, spec: { nodeName: 'pool-a', priority, volumes } });
}

function aClaim(name: string, accessModes = ['ReadWriteOnce']): object {
  return {
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { volumeName: `pv-${name}`, accessModes },
  };
}

function anAttachment(volume: string, nodeName = 'pool-a', attached = true): object {
  return {
    kind: 'VolumeAttachment',
    metadata: { name: `${volume}-${nodeName}` },
    spec: { nodeName, source: { persistentVolumeName: volume } },
    status: { attached },
  };
}

const attachmentPath = (volume: string): string =>
  `/apis/storage.k8s.io/v1/volumeattachments/${volume}-pool-a`;

function throwError(error: unknown): never {
  throw error;
}

/** A storage system: when a pod goes, its volume is detached, and attached to pool-b. */
class Storage {
  readonly target: InMemoryClient;
  readonly order: string[] = [];
  /** The pods of the waits that were saved when each pod was asked. */
  readonly savedAt: (string | undefined)[] = [];
  readonly attachments: WatchedAttachments;
  progress: DrainProgress | undefined;

  constructor(...objects: object[]) {
    this.target = new InMemoryClient(aNode(), ...objects);
    this.attachments = new WatchedAttachments({ target: this.target, onError: () => undefined });
    this.target.fault = ({ path }) => {
      const name = /pods\/(.*)\/eviction$/.exec(path)?.[1];
      if (name === undefined) return undefined;
      this.order.push(name);
      this.savedAt.push(this.progress?.volumeWait?.pod);
      return undefined;
    };
  }

  run(settings: Partial<DrainContext['settings']> = {}, changes: Partial<DrainRequest> = {}) {
    const context: DrainContext = {
      control: new InMemoryClient(),
      target: this.target,
      watch: new BlockedDrains({
        target: this.target,
        wake: async () => undefined,
        onError: () => undefined,
      }).begin({ workflowId: 'w', runId: 'r', activityId: 'a' }),
      attachments: this.attachments,
      signal: new AbortController().signal,
      settings: {
        maxEvictRetries: 360,
        pvDetachTimeoutSeconds: 120,
        pvReattachTimeoutSeconds: 90,
        ...settings,
      },
      details: this.progress,
      requireActiveWatcher: async () => undefined,
      pauses: [],
      isFirstAttempt: false,
      save: (progress) => {
        this.progress = structuredClone(progress);
      },
      report: async () => undefined,
      warn: throwError,
      podPollMs: 5,
      volumePollMs: 5,
    };
    const deadline = Date.now() + 3_600_000;
    return drainNode(context, {
      machine: lifeOf('pool-a'),
      nodeName: 'pool-a',
      providerID: 'local:///zone-1/i-1',
      deadline,
      isForced: false,
      countsFrom: Date.now(),
      ...changes,
    });
  }

  async detach(volume: string): Promise<void> {
    await this.target.delete(attachmentPath(volume));
  }
}

test('pods with volumes go one after another, the most important first, and the wait for their volumes is saved before each is asked', async () => {
  const storage = new Storage(
    aPodWithVolume('low'),
    aPodWithVolume('high', 1000),
    aClaim('low'),
    aClaim('high'),
    anAttachment('pv-low'),
    anAttachment('pv-high'),
  );
  const end = storage.run();
  const until = (stage: string, pod: string): Promise<true> =>
    eventually(`the drain waits for the ${stage} of the volume of ${pod}`, async () => {
      const wait = storage.progress?.volumeWait;
      return wait?.stage === stage && wait.pod === `default/${pod}`;
    });
  await until('detach', 'high');
  expect(storage.target.has(namespaced('pods', 'default', 'low'))).toBe(true);
  await storage.detach('pv-high');
  await until('reattach', 'high');
  storage.target.put(anAttachment('pv-high', 'pool-b'));
  await until('detach', 'low');
  await storage.detach('pv-low');
  storage.target.put(anAttachment('pv-low', 'pool-b'));
  expect(await end).toEqual({ evictedPods: 2, isForced: false });
  expect(storage.order).toEqual(['high', 'low']);
  // A worker that dies between the two leaves the wait to the next attempt.
  expect(storage.savedAt).toEqual(['default/high', 'default/low']);
});

test('nobody waits for volumes without VolumeAttachments', async () => {
  const storage = new Storage(aPodWithVolume('web'), aClaim('web'));
  expect(await storage.run()).toEqual({ evictedPods: 1, isForced: false });
});

test('no pod waits for a volume that several Nodes may mount, only the instance does', async () => {
  const storage = new Storage(
    aPodWithVolume('high', 1000),
    aPodWithVolume('low'),
    aClaim('high', ['ReadWriteMany']),
    aClaim('low'),
    anAttachment('pv-high'),
  );
  const end = storage.run();
  await eventually('both have gone', async () => storage.order.length === 2);
  await storage.detach('pv-high');
  expect(await end).toEqual({ evictedPods: 2, isForced: false });
});

describe('a volume of a pod that somebody else evicted before', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true };
  const staying = (volumes: object[]): object =>
    aPod({
      metadata: { name: 'agent', ownerReferences: [owner] },
      spec: { nodeName: 'pool-a', volumes },
    });

  test('is waited for until it is detached', async () => {
    const storage = new Storage(anAttachment('pv-left'), anAttachment('pv-far', 'pool-b'));
    const end = storage.run();
    await eventually(
      'the volume is waited for',
      async () => storage.progress?.volumeWait !== undefined,
    );
    expect(storage.progress?.volumeWait).toMatchObject({ stage: 'detach', volumes: ['pv-left'] });
    await storage.detach('pv-left');
    expect(await end).toEqual({ evictedPods: 0, isForced: false });
  });

  test('is waited for once, no longer than the detach timeout', async () => {
    const storage = new Storage(anAttachment('pv-left'));
    expect(await storage.run({ pvDetachTimeoutSeconds: 0.05 })).toMatchObject({ evictedPods: 0 });
    storage.progress = { evicted: 0, refusals: {}, reported: '', leftAttached: ['pv-left'] };
    expect(await storage.run()).toMatchObject({ evictedPods: 0 });
  });

  test.each([
    { name: 'claims', volumes: [{ persistentVolumeClaim: { claimName: 'data' } }], claim: 'data' },
    { name: 'ephemeral claims', volumes: [{ name: 'tmp', ephemeral: {} }], claim: 'agent-tmp' },
  ])('is not one that a pod which stays $name', async ({ volumes, claim }) => {
    const storage = new Storage(staying(volumes), aClaim(claim), anAttachment(`pv-${claim}`));
    expect(await storage.run()).toEqual({ evictedPods: 0, isForced: false });
  });

  test.each([{ skipsVolumeWait: true }, { keepsNode: true }, { isForced: true }])(
    'is not waited for with %o',
    async (changes) => {
      const storage = new Storage(anAttachment('pv-left'));
      expect(await storage.run({}, changes)).toMatchObject({ evictedPods: 0 });
    },
  );
});

test('a volume that two pods use is waited for after the second', async () => {
  const storage = new Storage(
    aPodWithVolume('one', 1, 'shared'),
    aPodWithVolume('two', 0, 'shared'),
    aClaim('shared'),
    anAttachment('pv-shared'),
  );
  await storage.run({ pvDetachTimeoutSeconds: -30, pvReattachTimeoutSeconds: 0 });
  expect(storage.order).toEqual(['one', 'two']);
});

test('the volume of a pod whose eviction was taken, but not answered, is waited for', async () => {
  const storage = new Storage(
    aPodWithVolume('high', 1000),
    aPodWithVolume('low'),
    aClaim('high'),
    aClaim('low'),
    anAttachment('pv-high'),
  );
  const path = namespaced('pods', 'default', 'high');
  const pod = await storage.target.read<KubeObject>(path);
  const going = { deletionTimestamp: new Date(Date.now() + 30_000).toISOString() };
  const put = (finalizers: string[]): void =>
    storage.target.put({ ...pod, metadata: { ...pod.metadata, ...going, finalizers } });
  const note = storage.target.fault;
  storage.target.fault = (call) => {
    note?.(call);
    if (call.path !== `${path}/eviction`) return undefined;
    put(['example.com/stays']);
    return { code: 0, reason: 'Timeout', message: 'no answer in time' };
  };
  const end = storage.run();
  await eventually('the volume is waited for', async () => storage.progress?.evicted === 1);
  expect(storage.order).toEqual(['high']);
  put([]);
  await storage.detach('pv-high');
  storage.target.put(anAttachment('pv-high', 'pool-b'));
  expect(await end).toEqual({ evictedPods: 2, isForced: false });
  expect(storage.order).toEqual(['high', 'low']);
});

test('a volume that is not detached in time is left behind', async () => {
  const storage = new Storage(aPodWithVolume('web'), aClaim('web'), anAttachment('pv-web'));
  // The grace period of 30 s counts too.
  expect(await storage.run({ pvDetachTimeoutSeconds: -29 })).toEqual({
    evictedPods: 1,
    isForced: false,
  });
});

test('a wait for volumes whose pod was never asked has not begun', async () => {
  const storage = new Storage(aPodWithVolume('web'), aClaim('web'), anAttachment('pv-web'));
  const path = namespaced('pods', 'default', 'web');
  const { uid } = (await storage.target.read<KubeObject>(path)).metadata;
  storage.progress = {
    evicted: 0,
    refusals: {},
    reported: '',
    volumeWait: {
      pod: 'default/web',
      podUid: uid,
      stage: 'detach',
      volumes: ['pv-web'],
      since: Date.now(),
      until: Date.now() + 600_000,
    },
  };
  expect(await storage.run({ pvDetachTimeoutSeconds: -29 })).toEqual({
    evictedPods: 1,
    isForced: false,
  });
});

test('a later attempt goes on waiting for the same volume', async () => {
  const storage = new Storage(anAttachment('pv-web'));
  const now = Date.now();
  const volumeWait = {
    pod: 'default/web',
    podUid: 'uid',
    stage: 'detach' as const,
    volumes: ['pv-web'],
    since: now - 60_000,
    until: now + 60_000,
  };
  storage.progress = { evicted: 3, refusals: {}, reported: '', volumeWait };
  await expect(storage.run()).rejects.toMatchObject({
    type: 'DrainBlocked',
    message: expect.stringContaining('volume pv-web is still attached to this Node'),
  });
  await storage.detach('pv-web');
  storage.target.put(anAttachment('pv-web', 'pool-b'));
  expect(await storage.run()).toEqual({ evictedPods: 3, isForced: false });
});
