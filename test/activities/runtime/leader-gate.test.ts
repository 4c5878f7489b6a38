import { progressAfter } from '../../../activities/drain/drain-node.ts';
import type { Stop, StopView } from '../../../kube/objects/global-stop.ts';
import { stopOf } from '../../../kube/objects/global-stop.ts';
import { requireActiveWatcher } from '../../../activities/runtime/leader-gate.ts';
import { machineSubject } from '../../../activities/machine/object.ts';
import { preparedOf } from '../../../activities/machine/prepared.ts';
import type { Pause } from '../../../workflows/values/pauses.ts';
import { aMachine } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const stop: Stop = { uid: 'stop-1', reason: 'wrong disks', by: 'alice', since: 1_000 };

const standing: StopView = { current: () => stop };

describe('a stop', () => {
  test('refuses at the edge, and says how to go on', async () => {
    const refused = requireActiveWatcher(aWorld({ stop: { ...standing } }));
    await expect(refused).rejects.toMatchObject({
      type: 'Stopped',
      category: 'BENIGN',
      message:
        'stopped by ConfigMap shoot/millwright-stop: wrong disks (alice); delete it to go on',
    });
  });

  test('is reported on each object once', async () => {
    const world = aWorld({ stop: { ...standing } });
    const subject = machineSubject(lifeOf('pool-a'));
    const refusals = [];
    for (const who of [subject, subject, { ...subject, name: 'pool-b', uid: 'b' }]) {
      refusals.push(await requireActiveWatcher(world, who).catch((error: unknown) => error));
    }
    expect(refusals).toHaveLength(3);
    expect(world.control.writes()).toHaveLength(2);
    expect(world.control.bodies).toContainEqual(
      expect.objectContaining({ reason: 'Stopped', type: 'Warning' }),
    );
  });

  test('without a reason says that none was given', () => {
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { name: 'millwright-stop', uid: 'u', resourceVersion: '1', creationTimestamp };
    expect(stopOf({ metadata })).toEqual({
      uid: 'u',
      reason: 'no reason given',
      since: Date.parse(creationTimestamp),
    });
  });

  test('with a long reason is reported in short', () => {
    const metadata = { name: '', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    const { reason, by } = stopOf({
      metadata,
      data: { reason: `a\n b${'c'.repeat(999)}`, by: ' ' },
    });
    expect(reason).toMatch(/^a bc+$/);
    expect(reason).toHaveLength(300);
    expect(by).toBeUndefined();
  });
});

describe('times after a pause', () => {
  const pause: Pause = { reason: 'stop', from: 50_000, until: 90_000 };

  test('a machine that waited for its creation gets the time of the pause on top', () => {
    const machine = aMachine({ metadata: { creationTimestamp: '1970-01-01T00:00:40Z' } });
    expect(preparedOf(machine, aWorld({ pauses: () => [pause] })).createdAt).toBe(80_000);
    expect(preparedOf(machine, aWorld()).createdAt).toBe(40_000);
  });

  test('refusals and waits for volumes count anew, once', () => {
    const refusal = { why: 'PDB', blockedBy: 'x', isHopeless: false, since: 10_000 };
    const volumeWait = {
      pod: 'default/web-0',
      podUid: 'p',
      stage: 'detach' as const,
      volumes: [],
      since: 20_000,
      until: 50_000,
    };
    const before = {
      evicted: 0,
      reported: '',
      refusals: { p: { ...refusal, nextTryAt: 120_000 } },
      volumeWait,
    };
    const once = progressAfter([pause], structuredClone(before));
    expect(once.refusals['p']).toMatchObject({ since: 90_000, nextTryAt: 90_000 });
    expect(once.volumeWait).toMatchObject({ since: 90_000, until: 120_000 });
    expect(progressAfter([pause], structuredClone(once))).toEqual(once);
    expect(progressAfter([], before)).toBe(before);
  });
});
