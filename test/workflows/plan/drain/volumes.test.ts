/**
 * Waiting for the volumes of an evicted pod: first until they leave its Node, then until they
 * arrive at the next.
 */
import type { Attachment, VolumeWait } from '../../../../workflows/plan/drain/volumes.ts';
import { afterListing, waitForGonePods } from '../../../../workflows/plan/drain/volumes.ts';

const now = 1_000_000;
const reattachSeconds = 90;

function aWait(changes: Partial<VolumeWait> = {}): VolumeWait {
  return {
    pod: 'default/db-0',
    podUid: 'uid-of-db-0',
    stage: 'detach',
    volumes: ['pv-a', 'pv-b'],
    since: now - 5_000,
    until: now + 60_000,
    ...changes,
  };
}

function attached(volume: string, nodeName: string, isAttached = true): Attachment {
  return { volume, nodeName, isAttached };
}

const at = (...attachments: Attachment[]) => ({
  nodeName: 'old',
  attachments,
  now,
  reattachSeconds,
});

describe('while a volume is still on the drained Node', () => {
  const facts = at(attached('pv-a', 'old'), attached('pv-b', 'new'));

  test('the wait goes on unchanged', () => {
    expect(afterListing(aWait(), facts)).toEqual(aWait());
  });

  test('the wait ends at its limit', () => {
    expect(afterListing(aWait({ until: now }), facts)).toBeUndefined();
  });
});

describe('once no volume is on the drained Node', () => {
  const reattach = aWait({ stage: 'reattach', since: now, until: now + 90_000 });

  test('the drain waits for the volumes at their next Node, with a limit of its own', () => {
    expect(afterListing(aWait(), at())).toEqual(reattach);
    expect(afterListing(aWait({ until: now }), at(attached('pv-a', 'new')))).toEqual(reattach);
  });

  test('an attachment that is only wanted does not count', () => {
    const facts = at(attached('pv-a', 'new'), attached('pv-b', 'new', false));
    expect(afterListing(aWait(), facts)).toEqual(reattach);
  });

  test('nothing is waited for when all of them are attached elsewhere', () => {
    const facts = at(attached('pv-a', 'new'), attached('pv-b', 'other'));
    expect(afterListing(aWait(), facts)).toBeUndefined();
  });
});

describe('volumes of pods that left before they were asked', () => {
  const detachSeconds = 120;

  test('are waited for until they are detached, and nowhere else', () => {
    const wait = aWait({ isOfGonePods: true, volumes: ['pv-a'], since: now, until: now + 120_000 });
    const rest = { pod: expect.any(String), podUid: '' };
    expect(waitForGonePods(['pv-a'], { now, detachSeconds })).toEqual({ ...wait, ...rest });
    expect(afterListing(wait, at(attached('pv-a', 'old')))).toEqual(wait);
    expect(afterListing(wait, at())).toBeUndefined();
  });

  test('are nothing to wait for where there are none', () => {
    expect(waitForGonePods([], { now, detachSeconds })).toBeUndefined();
  });
});

describe('while the volumes are awaited at their next Node', () => {
  const wait = aWait({ stage: 'reattach' });

  test('the wait goes on until the last one is attached', () => {
    expect(afterListing(wait, at(attached('pv-a', 'new')))).toEqual(wait);
    const both = at(attached('pv-a', 'new'), attached('pv-b', 'new'));
    expect(afterListing(wait, both)).toBeUndefined();
  });

  test('the wait ends at its limit', () => {
    expect(afterListing({ ...wait, until: now }, at())).toBeUndefined();
  });
});
