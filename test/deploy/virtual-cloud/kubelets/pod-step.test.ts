import {
  podStep,
  runningStatus,
  type VirtualPod,
} from '../../../../deploy/local/virtual-cloud/kubelets/played-pods.ts';

const boundAt = Date.parse('2026-11-28T10:00:10Z');
const deletedAt = Date.parse('2026-11-28T10:20:00Z');
const deleted = { deletionTimestamp: '2026-11-28T10:20:30Z', deletionGracePeriodSeconds: 30 };

function aPod(metadata: Partial<VirtualPod['metadata']> = {}, phase = 'Pending'): VirtualPod {
  const scheduled = {
    type: 'PodScheduled',
    status: 'True' as const,
    lastTransitionTime: '2026-11-28T10:00:10Z',
  };
  return {
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'ffa0b1c2-0000-0000-0000-000000000000',
      resourceVersion: '1',
      creationTimestamp: '2026-11-28T10:00:00Z',
      ...metadata,
    },
    status: { phase, conditions: [scheduled] },
  };
}

function annotated(annotations: Record<string, string>, rest: object = {}): VirtualPod {
  const entries = Object.entries(annotations);
  const full = entries.map(([name, value]) => [`local.millwright.dev/${name}`, value]);
  return aPod({ ...rest, annotations: Object.fromEntries(full) });
}

describe('a pod that is bound', () => {
  test('runs at once, and later where it says so: never sooner, by whole seconds', () => {
    expect(podStep(aPod())).toEqual({ does: 'run', at: boundAt });
    expect(podStep(annotated({ 'ready-delay': '5s' }))).toEqual({
      does: 'run',
      at: boundAt + 6_000,
    });
  });

  test('counts from its creation where no scheduler bound it', () => {
    const at = Date.parse('2026-11-28T10:00:00Z');
    const { metadata } = aPod();
    expect(podStep({ metadata, status: { phase: 'Pending' } })).toEqual({ does: 'run', at });
  });

  test.each(['Running', 'Succeeded', 'Failed'])('is left alone when it is %s', (phase) => {
    expect(podStep(aPod({}, phase))).toBeUndefined();
  });

  test('may stay Pending', () => {
    expect(podStep(annotated({ 'never-ready': 'true' }))).toBeUndefined();
  });
});

describe('a pod that is deleted', () => {
  test('ends at once, whatever its phase and its grace period', () => {
    expect(podStep(aPod(deleted))).toEqual({ does: 'end', at: deletedAt });
    expect(podStep(aPod(deleted, 'Running'))).toEqual({ does: 'end', at: deletedAt });
  });

  test.each([
    { text: '30s', laterMs: 31_000 },
    { text: '1m30s', laterMs: 91_000 },
    { text: 'soon', laterMs: 0 },
  ])('takes $text', ({ text, laterMs }) => {
    const pod = annotated({ 'delete-delay': text }, deleted);
    expect(podStep(pod)).toEqual({ does: 'end', at: deletedAt + laterMs });
  });

  test('stays while it has a finalizer or is never to end, and an empty value says nothing', () => {
    expect(podStep(aPod({ ...deleted, finalizers: ['example.com/f'] }))).toBeUndefined();
    expect(podStep(annotated({ 'never-terminates': 'true' }, deleted))).toBeUndefined();
    expect(podStep(annotated({ 'never-terminates': '' }, deleted))).toMatchObject({ does: 'end' });
  });
});

describe('the status of a running pod', () => {
  const now = '2026-11-28T10:00:11Z';

  test('has all that a kubelet says', () => {
    const spec = {
      containers: [{ name: 'c', image: 'i' }],
      readinessGates: [{ conditionType: 'example.com/gate' }],
    };
    const status = runningStatus({ ...aPod(), spec }, '10.128.0.1', now);
    expect(status).toMatchObject({
      phase: 'Running',
      startTime: now,
      hostIP: '10.128.0.1',
      podIP: '10.127.160.177',
      podIPs: [{ ip: '10.127.160.177' }],
      containerStatuses: [{ name: 'c', image: 'i', ready: true, state: { running: {} } }],
    });
    const types = ['Initialized', 'Ready', 'ContainersReady', 'example.com/gate'];
    expect(status).toMatchObject({
      conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: now })),
    });
  });

  test('shares the address of its host where it shares its network', () => {
    const pod = { ...aPod(), spec: { hostNetwork: true } };
    expect(runningStatus(pod, '10.128.0.1', now)).toMatchObject({ podIP: '10.128.0.1' });
  });
});
