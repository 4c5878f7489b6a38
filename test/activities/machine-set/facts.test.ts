import { factOf } from '../../../activities/machine-set/facts.ts';
import { aMachine } from '../../support/builders.ts';

test.each([
  [
    'as Go prints it',
    '2026-01-02 03:04:05.678901234 +0000 UTC m=+116.190754139',
    '2026-01-02T03:04:05.678Z',
  ],
  [
    'as Go prints it in another zone',
    '2026-01-02 04:04:05 +0100 CET m=+1.5',
    '2026-01-02T03:04:05Z',
  ],
  ['as Go prints it without its clock', '2026-01-02 03:04:05 +0000 UTC', '2026-01-02T03:04:05Z'],
  ['as Kubernetes writes it', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
])('when a machine was chosen for deletion is read %s', (_name, text, at) => {
  const annotations = { 'machine.sapcloud.io/delete-machine': text };
  expect(factOf(aMachine({ metadata: { annotations } })).chosenAt).toBe(Date.parse(at));
});

test.each(['', 'yes', '2026-01-02', '9999-99-99 99:99:99 +0000 UTC'])(
  'a machine that is chosen with %j is chosen, nobody knows when',
  (text) => {
    const annotations = { 'machine.sapcloud.io/delete-machine': text };
    expect(factOf(aMachine({ metadata: { annotations } })).chosenAt).toBe(0);
  },
);

test('a machine without the annotation is not chosen', () => {
  expect(factOf(aMachine())).not.toHaveProperty('chosenAt');
});
