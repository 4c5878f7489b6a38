import { RestoreNote } from '../../watcher/lease-notes.ts';

const restored = 'the Lease is in an older state than before: its database was restored';
const annotation = 'millwright.dev/restored';
const before = { annotations: { [annotation]: '1970-01-01T00:00:01.000Z' } };

test('a restore is noted with its moment, also over an earlier one', () => {
  const note = new RestoreNote(() => 5_000);
  note.takeOver({ annotations: {} }, restored);
  expect(note.annotations()).toEqual({ [annotation]: '1970-01-01T00:00:05.000Z' });
  note.takeOver(before, restored);
  expect(note.annotations()).toEqual({ [annotation]: '1970-01-01T00:00:05.000Z' });
});

test('a term that begins for another reason keeps what was noted before it', () => {
  const note = new RestoreNote(() => 5_000);
  const ofNodes =
    'target cluster: /api/v1/nodes: the server is at 500 and was at 700: it was restored';
  for (const doubt of [undefined, 'no leader for 90 s', ofNodes]) {
    note.takeOver(before, doubt);
    expect(note.annotations()).toEqual(before.annotations);
    note.takeOver({ annotations: {} }, doubt);
    expect(note.annotations()).toEqual({});
  }
});
