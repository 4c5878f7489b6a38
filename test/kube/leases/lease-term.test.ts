import { LeaseTerm } from '../../../kube/leases/active-watcher.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

/** Our clock shows `skewMs` more than the holder's, and each renewal is under way for `lagMs`. */
function renewals(term: LeaseTerm, { skewMs = 0, holder = 'watcher-0' }) {
  return (seconds: number, lagMs: number): number => {
    const renewedAt = start + seconds * 1_000;
    const spec = {
      holderIdentity: holder,
      renewTime: new Date(renewedAt).toISOString().replace('Z', '000Z'),
      leaseDurationSeconds: 15,
    };
    return term.remaining(spec, renewedAt + skewMs + lagMs);
  };
}

describe('a Lease holds', () => {
  test('for its duration from its renewal on, not from the arrival of the event', () => {
    const renewed = renewals(new LeaseTerm(), {});
    expect(renewed(0, 0)).toBe(15_000);
    expect(renewed(2, 4_000)).toBe(11_000);
    expect(renewed(4, 40_000)).toBe(-25_000);
  });

  test.each([60_000, -60_000])('also when the clocks are %i ms apart', (skewMs) => {
    const renewed = renewals(new LeaseTerm(), { skewMs });
    renewed(0, 0);
    expect(renewed(2, 0)).toBe(15_000);
    expect(renewed(4, 6_000)).toBe(9_000);
  });

  test('not when the first that is seen is old', () => {
    expect(renewals(new LeaseTerm(), {})(0, 16_000)).toBeLessThan(0);
  });

  test('again some renewals after our clock was set forward', () => {
    const term = new LeaseTerm();
    renewals(term, {})(0, 0);
    const renewed = renewals(term, { skewMs: 30_000 });
    const remaining = Array.from({ length: 11 }, (_, index) => renewed(2 * index + 2, 0));
    expect(remaining[0]).toBeLessThan(0);
    expect(remaining.at(-1)).toBe(15_000);
  });

  test('by the clock of another holder', () => {
    const term = new LeaseTerm();
    renewals(term, {})(0, 0);
    const renewed = renewals(term, { skewMs: 10_000, holder: 'watcher-1' });
    renewed(2, 0);
    expect(renewed(4, 0)).toBe(15_000);
  });

  test('not without a holder or a time', () => {
    const term = new LeaseTerm();
    expect(
      term.remaining({ holderIdentity: '', renewTime: new Date(start).toISOString() }, start),
    ).toBe(0);
    expect(term.remaining({ holderIdentity: 'watcher-0' }, start)).toBe(0);
  });
});
