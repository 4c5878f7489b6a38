import { viewOfMachine } from '../../../watcher/cache/machine-view.ts';
import { aMachine } from '../objects.ts';

test('the view of a Machine keeps what its annotations ask of a drain', () => {
  const annotations = {
    'millwright.dev/drain-until': '2026-01-01T12:00:00Z',
    'millwright.dev/skip-volume-wait': 'true',
  };
  const until = Date.parse('2026-01-01T12:00:00Z');
  expect(viewOfMachine(aMachine({ annotations })).drain).toEqual({ until, skipsVolumeWait: true });
  expect(viewOfMachine(aMachine())).not.toHaveProperty('drain');
});

test('the annotation with the creation timeout changes the hash of the spec, also where the generation stays', () => {
  const before = viewOfMachine(aMachine());
  const annotations = { 'node.machine.sapcloud.io/effective-creation-timeout': '5m' };
  const after = viewOfMachine(aMachine({ annotations }), before);
  expect(after.specDigest).not.toBe(before.specDigest);
  expect(viewOfMachine(aMachine(), after).specDigest).toBe(before.specDigest);
});
