/** What a watcher has noted on its Lease. */
import { writeCertificateEnds } from '../../../kube/objects/certificate-ends.ts';
import { writeRestore } from '../../../kube/objects/restore-note.ts';
import { diagnose } from '../../../cli/diagnosis/diagnose.ts';
import type { Install } from '../../../cli/install/install.ts';
import { allLeaseFacts, leaseFactsOf } from '../../../cli/install/lease-facts.ts';
import { processLines } from '../../../cli/status/status.ts';
import { anInstall, metaOf, minutesAgo, now } from './objects.ts';

const dayMs = 86_400_000;
const file = '/etc/millwright/temporal-tls/tls.crt';

function found(annotations: Record<string, string | undefined>, changes: Partial<Install> = {}) {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: metaOf('millwright', { annotations: defined(annotations) }),
    spec: { holderIdentity: 'watcher-0', leaseDurationSeconds: 15, renewTime: minutesAgo(0) },
  };
  const leases = leaseFactsOf([lease], { namespace: 'shoot', leasePlace: {} });
  return diagnose(anInstall({ leases, ...changes }));
}

function defined(annotations: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
}

const endingAt = (until: number) => ({
  'millwright.dev/certificates': writeCertificateEnds([
    { file, until },
    { file: '/etc/millwright/temporal-tls/ca.crt', until: now + 3_000 * dayMs },
  ]),
});

test('a certificate that ends within a week, with when, and how to have it read again', () => {
  expect(found(endingAt(now + 8 * dayMs))).toEqual([]);
  expect(found(endingAt(now + 2 * dayMs))).toEqual([
    {
      trouble: 'certificate-expiry',
      object: { kind: 'lease', namespace: 'shoot', name: 'millwright' },
      cause: `the certificate in ${file} of watcher and worker ends`,
      since: now - 5 * dayMs,
      until: now + 2 * dayMs,
      sequel: 'watcher and worker are cut off',
      commands: expect.arrayContaining([
        'kubectl -n shoot rollout restart deployment -l app.kubernetes.io/name=millwright',
      ]),
    },
  ]);
});

test('a certificate that has ended, of the Deployments where they are', () => {
  const counts = { wanted: 1, available: 1 };
  const worker = { name: 'worker', component: 'worker', isWatcher: false, ...counts };
  const [finding, ...others] = found(endingAt(now - dayMs), {
    processes: [{ ...worker, namespace: 'release' }],
  });
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    cause: `the certificate in ${file} of watcher and worker has ended`,
    since: now - dayMs,
    commands: expect.arrayContaining([
      'kubectl -n release rollout restart deployment -l app.kubernetes.io/name=millwright',
    ]),
  });
  expect(finding).not.toHaveProperty('until');
});

const restoredAt = (at: number) => ({ 'millwright.dev/restored': writeRestore(at) });

test('a database that was restored, for an hour, and how to keep the instances', () => {
  expect(found(restoredAt(now - 3_600_000))).toEqual([]);
  expect(found(restoredAt(now - 60_000))).toMatchObject([
    {
      trouble: 'restored-etcd',
      object: { kind: 'lease', namespace: 'shoot', name: 'millwright' },
      cause: expect.stringMatching(/^etcd was restored to an earlier moment/),
      since: now - 60_000,
      commands: [
        expect.stringMatching(/^# /),
        'temporal schedule toggle --schedule-id safety/orphans/shoot --pause --reason "etcd was restored"',
      ],
    },
  ]);
});

test.each([
  [{ name: 'eu', clusterName: '', isFleet: true }, 'safety/orphans/eu:shoot'],
  [{ name: 'eu', clusterName: '', isFleet: false }, 'safety/orphans/eu'],
  [{ name: '', clusterName: 'garden', isFleet: false }, 'safety/orphans/garden/shoot'],
])('the schedule of %o', (names, id) => {
  const [finding] = found(restoredAt(now), { names });
  expect(finding?.commands.at(-1)).toContain(` --schedule-id ${id} `);
});

test.each(['', 'x', '{}', '[1]', '[{"file":"a"}]', '[{"file":1,"until":"2026-01-01"}]'])(
  'what is damaged counts as absent: %s',
  (text) => {
    const annotations = { 'millwright.dev/certificates': text, 'millwright.dev/restored': text };
    expect(found(annotations)).toEqual([]);
  },
);

const manager = 'machine-controller-manager';

function aLease(name: string, holder: string, annotations: Record<string, string> = {}) {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: metaOf(name, { annotations }),
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: 15,
      renewTime: new Date().toISOString(),
    },
  };
}

const ofMcm = aLease(manager, 'mcm-0');
const ofOurs = aLease(manager, 'watcher-0', { 'millwright.dev/holder': 'watcher-0' });
const shared = { namespace: 'shoot', leasePlace: { resourceName: manager } } as const;

test('while MCM acts, a watcher that waits is no reason that nothing happens', () => {
  const free = aLease('millwright', '');
  const place = { namespace: 'shoot', leasePlace: {} };
  for (const leases of [[ofMcm], [free, ofMcm]]) {
    const install = anInstall({ now: Date.now() + 120_000, leases: leaseFactsOf(leases, place) });
    expect(diagnose(install)).toMatchObject([
      {
        trouble: 'worker-down',
        cause: `no watcher leads: MCM acts, mcm-0 holds Lease ${manager}`,
        commands: ['millwright migrate check -n shoot'],
      },
    ]);
  }
  const [fact] = leaseFactsOf([ofOurs, aLease('millwright', 'watcher-0')], place);
  expect(fact).toMatchObject({ holder: 'watcher-0' });
  expect(fact?.mcm).toBeUndefined();
});

test('a Lease that is that of MCM as well says by whom it is held', () => {
  expect(leaseFactsOf([ofOurs], shared)).toMatchObject([{ holder: 'watcher-0' }]);
  expect(allLeaseFacts([ofOurs])).toMatchObject([{ namespace: 'shoot', holder: 'watcher-0' }]);
  expect(allLeaseFacts([ofMcm])).toEqual([]);
  // The front keeps machine-controller of Kubermatic away.
  expect(allLeaseFacts([aLease('machine-controller', 'millwright-front/a')])).toEqual([]);
  const leases = leaseFactsOf([ofMcm], shared);
  expect(leases).toMatchObject([{ mcm: { holder: 'mcm-0', lease: manager } }]);
  expect(leases[0]?.holder).toBeUndefined();
  expect(processLines(anInstall({ leases }))).toEqual([
    `Watcher: none leads; MCM acts, mcm-0 holds Lease ${manager}`,
  ]);
});

test('of all namespaces with several installs no Schedule of another one is named', () => {
  const counts = { wanted: 1, available: 1 };
  const watcher = { component: 'worker', isWatcher: true, name: 'w', ...counts };
  const processes = ['a', 'b'].map((namespace) => ({ ...watcher, namespace }));
  const names = { name: 'eu', clusterName: '', isFleet: false };
  const all = { namespace: undefined, names };
  const [one] = found(restoredAt(now), { ...all, processes: processes.slice(1) });
  expect(one?.commands.at(-1)).toContain(' --schedule-id safety/orphans/eu ');
  const [several] = found(restoredAt(now), { ...all, processes });
  expect(several?.commands).toEqual([
    '# names the Schedule that has to stand still, so that no instance is deleted',
    'millwright stuck -n shoot',
  ]);
});
