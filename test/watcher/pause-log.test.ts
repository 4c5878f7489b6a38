import { pausesAnnotation, readPauses } from '../../kube/objects/pauses.ts';
import { PauseLog } from '../../watcher/pause-log.ts';

let now = 0;
let log: PauseLog;

beforeEach(() => {
  now = 1_000_000;
  log = new PauseLog(() => now);
});

const noted = () => readPauses(log.annotations()[pausesAnnotation]);

function leaseOf(renewedAt: number | undefined, pauses = '[]') {
  return { annotations: { [pausesAnnotation]: pauses }, renewedAt };
}

describe('a pause', () => {
  test('of less than ten seconds is not noted, unless it is a stop', () => {
    log.note('temporal', now - 9_000);
    log.note('stop', now);
    now += 1_000;
    log.note('temporal', undefined);
    log.note('stop', undefined);
    expect(noted()).toEqual([{ reason: 'stop', from: 1_000_000, until: 1_001_000 }]);
  });
});

describe('who takes the Lease over', () => {
  test('notes that no watcher led since its last renewal, and ends what lasted then', () => {
    const before = '[{"reason":"worker","from":"1970-01-01T00:10:00.000Z"}]';
    log.takeOver(leaseOf(700_000, before));
    expect(noted()).toEqual([
      { reason: 'worker', from: 600_000, until: 1_000_000 },
      { reason: 'watcher', from: 700_000, until: 1_000_000 },
    ]);
  });

  test('notes nothing after a hand-over, of a Lease that is new, or of one that was never renewed', () => {
    log.takeOver(leaseOf(998_000));
    expect(noted()).toEqual([]);
    log.takeOver(leaseOf(undefined));
    expect(noted()).toEqual([]);
    log.takeOver({ annotations: {}, renewedAt: NaN });
    expect(noted()).toEqual([]);
  });

  test('notes the same when its first write was in vain', () => {
    log.takeOver(leaseOf(700_000));
    log.takeOver(leaseOf(700_000));
    expect(noted()).toHaveLength(1);
  });
});
