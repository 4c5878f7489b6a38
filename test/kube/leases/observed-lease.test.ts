/** What passes for a database that was restored, and what does not. */
import { LeaseLock } from '../../../kube/leases/lease-lock.ts';
import {
  ObservedLease,
  holderAnnotation,
  incarnationAnnotation,
} from '../../../kube/leases/observed-lease.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { restoredAnnotation } from '../../../kube/objects/restore-note.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const second = 1_000;
const holder = { identity: 'a', incarnation: 'a-1' };

interface Seen {
  version: number;
  renewTime: string;
  /** Default `a`. */
  by?: string;
  /** Of a restore. */
  note?: string;
}

/** As `a` left it, or another one that leaves annotations as they are. */
function seen({ version, renewTime, by = 'a', note }: Seen): Lease {
  const annotations = {
    [incarnationAnnotation]: 'a-1',
    [holderAnnotation]: 'a',
    ...(note !== undefined && { [restoredAnnotation]: note }),
  };
  const name = 'millwright';
  const creationTimestamp = '2026-01-01T00:00:00Z';
  return {
    metadata: { name, uid: 'uid', creationTimestamp, resourceVersion: `${version}`, annotations },
    spec: {
      holderIdentity: by,
      leaseDurationSeconds: 15,
      leaseTransitions: 5,
      renewTime: `2026-01-01T${renewTime}.000000Z`,
    },
  };
}

let system: HandSystem;
let candidate: ObservedLease;
let secondsPassed = 0;

beforeEach(() => {
  system = new HandSystem();
  secondsPassed = 0;
  candidate = new ObservedLease({ identity: 'b', incarnation: 'b-1' });
});

/** What a candidate sees each two seconds. */
async function sees(...leases: Seen[]): Promise<boolean> {
  for (const lease of leases) {
    system.run(() => candidate.see(seen(lease)));
    secondsPassed += 2;
    await system.to(secondsPassed * second);
  }
  return candidate.wentBack;
}

test('a Lease in an older version is of a database that was restored', async () => {
  const before = { version: 120, renewTime: '12:00:20' };
  expect(await sees(before, { version: 110, renewTime: '12:00:10' })).toBe(true);
});

test('a restore is over for a candidate when another process has taken note of it', async () => {
  const before = { version: 120, renewTime: '12:00:20', note: 'long ago' };
  const restored = { version: 110, renewTime: '12:00:10', note: 'long ago' };
  expect(await sees(before, restored)).toBe(true);
  expect(await sees({ version: 111, renewTime: '12:10:00', note: 'long ago' })).toBe(true);
  expect(await sees({ version: 112, renewTime: '12:10:02', note: 'just now' })).toBe(false);
});

test('a leader that goes on in its term had its clock set back', async () => {
  const before = { version: 120, renewTime: '12:00:20' };
  expect(await sees(before, { version: 121, renewTime: '11:00:22' })).toBe(true);
  const renewals = [24, 26, 28, 30, 32, 34, 36, 38].map((at, index) => ({
    version: 122 + index,
    renewTime: `11:00:${at}`,
  }));
  expect(await sees(...renewals.slice(0, 4))).toBe(true);
  expect(await sees(...renewals.slice(4))).toBe(false);
});

test('a Lease that MCM takes, whose clock is behind, is no older one', async () => {
  const before = { version: 120, renewTime: '12:00:20' };
  expect(await sees(before, { version: 121, renewTime: '12:00:15', by: 'mcm' })).toBe(false);
});

test('a leader whose clock is set back knows its own renewals', async () => {
  let setBackMs = 0;
  const clock = system.now;
  system.now = () => clock() - setBackMs;
  const client = new InMemoryClient();
  const lock = new LeaseLock({
    ...holder,
    client,
    namespace: 'default',
    name: 'millwright',
    leaseDurationSeconds: 15,
  });
  await system.run(() => lock.acquireOrRenew());
  setBackMs = 3_600 * second;
  await system.run(() => lock.acquireOrRenew());
  expect(lock.wentBack).toBe(false);
});
