import type { NoteChange } from '../../../../workflows/plan/machine-class/note.ts';
import {
  noteAcceptance,
  noteFaults,
  noteRefusal,
  isRefusedNote,
} from '../../../../workflows/plan/machine-class/note.ts';

const refused = 'credentials: Unauthenticated: who are you';
const fault = 'providerSpec.size: "x" is not one of a, b';

/** What stands on the class after a change, or that nothing changes. */
const outcomeOf = (change: NoteChange | undefined): object | 'unchanged' =>
  change
    ? { note: change.note, reason: change.event.reason, type: change.event.type }
    : 'unchanged';

const invalid = { reason: 'InvalidClass', type: 'Warning' };
const denied = { reason: 'CredentialsRefused', type: 'Warning' };
const valid = { note: undefined, reason: 'ClassValid', type: 'Normal' };

describe('a look at class and Secrets', () => {
  test.each([
    {
      when: 'a first fault',
      before: undefined,
      faults: [fault],
      after: { note: fault, ...invalid },
    },
    { when: 'the same fault', before: fault, faults: [fault], after: 'unchanged' },
    { when: 'another fault', before: 'old', faults: [fault], after: { note: fault, ...invalid } },
    {
      when: 'two faults',
      before: fault,
      faults: ['a', 'b'],
      after: { note: 'a\nb', ...invalid },
    },
    { when: 'no fault any more', before: fault, faults: [], after: valid },
    { when: 'no fault as ever', before: undefined, faults: [], after: 'unchanged' },
    { when: 'credentials that may be others now', before: refused, faults: [], after: valid },
  ])('$when', ({ before, faults, after }) => {
    expect(outcomeOf(noteFaults(before, faults, { isEdited: true }))).toEqual(after);
  });

  test.each([
    { when: 'no fault', before: refused, faults: [], after: 'unchanged' },
    {
      when: 'a fault',
      before: refused,
      faults: [fault],
      after: { note: `${refused}\n${fault}`, ...invalid },
    },
  ])(
    'a look at class and Secrets that were not edited says as before that they are refused: $when',
    (row) => {
      const { before, faults, after } = row;
      expect(outcomeOf(noteFaults(before, faults, { isEdited: false }))).toEqual(after);
    },
  );

  test('is reported in an annotation and an Event of bounded length, and is the same the next time', () => {
    const faults = Array.from({ length: 50 }, (_, index) => `${index}: ${'ä"\n'.repeat(300)}`);
    const { note = '', event } = noteFaults(undefined, faults, { isEdited: true }) ?? {};
    expect(note.length).toBeGreaterThan(300);
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_000);
    expect(note.split('\n').length).toBeGreaterThan(1);
    expect(event?.message).toBe(note);
    expect(noteFaults(note, faults, { isEdited: false })).toBeUndefined();
  });
});

describe('a cloud that refuses the credentials', () => {
  test('is reported beside what else is wrong', () => {
    const change = noteRefusal(fault, 'Unauthenticated: who are you', 'machines');
    expect(outcomeOf(change)).toEqual({ note: `${refused}\n${fault}`, ...denied });
    expect(change?.event.message).toBe(refused);
    expect(isRefusedNote(change?.note, 'machines')).toBe(true);
    expect(isRefusedNote(change?.note, 'listing')).toBe(false);
  });

  test('is reported once, though each call is refused in its own words', () => {
    expect(noteRefusal(refused, 'PermissionDenied: request 7', 'machines')).toBeUndefined();
  });

  test.each([
    { when: 'alone', before: refused, after: valid },
    { when: 'beside a fault', before: `${refused}\n${fault}`, after: { note: fault, ...invalid } },
    { when: 'never', before: fault, after: 'unchanged' },
    { when: 'never, and nothing is wrong', before: undefined, after: 'unchanged' },
  ])(
    'a cloud that refuses the credentials and takes them then: it was refused $when',
    ({ before, after }) => {
      expect(outcomeOf(noteAcceptance(before, 'machines'))).toEqual(after);
    },
  );

  test('for listing may take them for machines: each use is reported and ends by itself', () => {
    const both = noteRefusal(refused, 'PermissionDenied: no list', 'listing')?.note;
    const listing = 'credentials, to list instances: PermissionDenied: no list';
    expect(both).toBe(`${listing}\n${refused}`);
    expect(noteAcceptance(both, 'machines')?.note).toBe(listing);
    expect(noteAcceptance(both, 'listing')?.note).toBe(refused);
  });
});
