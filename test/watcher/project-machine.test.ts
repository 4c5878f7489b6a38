import { expect, test } from '@jest/globals';
import { viewOfMachine } from '../../watcher/project-machine.ts';
import { aMachine } from './objects.ts';

test('what the annotations ask of a drain is part of what is kept', () => {
  const annotations = {
    'millwright.dev/drain-until': '2026-01-01T12:00:00Z',
    'millwright.dev/skip-volume-wait': 'true',
  };
  const until = Date.parse('2026-01-01T12:00:00Z');
  expect(viewOfMachine(aMachine({ annotations })).drain).toEqual({ until, skipsVolumeWait: true });
  expect(viewOfMachine(aMachine()).drain).toEqual({});
});
