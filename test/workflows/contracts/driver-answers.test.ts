import {
  createdBy,
  deletedBy,
  describedBy,
  validatedBy,
} from '../../../workflows/contracts/driver-answers.ts';

const asked = { provider: 'mars', usesTarget: true, isCancelled: false };
const failure = { code: 'Unauthenticated', message: 'no', isSettled: true } as const;

test.each([
  ['of a driver', 'credentials', { ...failure, kind: 'credentials' }],
  ['that nobody knows', 'weather', failure],
  ['of an earlier contract', undefined, failure],
])('the kind of a failure: one %s', (_words, kind, expected) => {
  // @ts-expect-error A driver in another language says what it likes.
  const answer = createdBy({ outcome: 'failed', failure: { ...failure, kind } }, asked);
  expect(answer).toEqual({ outcome: 'failed', failure: expected });
});

test.each([
  { seconds: 7, kept: { retryAfterSeconds: 7 } },
  { seconds: 0.2, kept: { retryAfterSeconds: 0.2 } },
  // Otherwise the cloud would be asked again and again, without a pause in between.
  { seconds: 0, kept: {} },
])('a cloud that wants to be asked after $seconds s', ({ seconds, kept }) => {
  const answer = {
    outcome: 'failed',
    failure: { ...failure, retryAfterSeconds: seconds },
  } as const;
  expect(createdBy(answer, asked)).toEqual({ outcome: 'failed', failure: { ...failure, ...kept } });
});

test('faults of a class are sentences', () => {
  const good = { outcome: 'validated', faults: ['size is missing'] } as const;
  expect(validatedBy({ ...good, faults: [...good.faults] }, asked)).toEqual(good);
});

test.each([
  [{ outcome: 'validated' }, 'faults'],
  [{ outcome: 'validated', faults: [7] }, 'faults'],
  [{ outcome: 'fine' }, 'outcome: "fine": must be validated or failed'],
  [undefined, 'outcome'],
])('%j is no answer to the question what is wrong with a class', (answer, words) => {
  // @ts-expect-error A driver in another language says what it likes.
  expect(validatedBy(answer, asked)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'Internal', message: expect.stringContaining(words) },
  });
});

test.each([
  [
    { message: 'copies the disk', pollAfterSeconds: 0.5 },
    'pollAfterSeconds: 0.5: must be a number',
  ],
  [{ message: 'copies the disk', pollAfterSeconds: 3_601 }, 'pollAfterSeconds: 3601: must be'],
  [{ pollAfterSeconds: 5 }, 'message: undefined: must be a text'],
  [{ message: 'm', pollAfterSeconds: 5, checkpoint: 'x'.repeat(4_097) }, 'checkpoint: '],
])('a pending operation that cannot be followed is a fault of the driver: %j', (part, words) => {
  const answer = { outcome: 'pending', ...part };
  const fault = { code: 'Internal', message: expect.stringContaining(words), isSettled: false };
  // @ts-expect-error A driver in another language says what it likes.
  expect(createdBy(answer, asked)).toEqual({ outcome: 'failed', failure: fault });
  // @ts-expect-error A driver in another language says what it likes.
  expect(deletedBy(answer, asked)).toEqual({ outcome: 'failed', failure: fault });
});

test('of a pending operation that is all that is kept', () => {
  const answer = {
    outcome: 'pending',
    message: 'm',
    pollAfterSeconds: 5,
    checkpoint: 'op',
  } as const;
  const more = { ...answer, cost: 7 };
  expect(deletedBy(more, asked)).toEqual(answer);
});

const longName = `node.${'n'.repeat(60)}`;

test.each([
  ['', ''],
  ['Not A Node', ''],
  [undefined, ''],
  [longName, longName],
  ['n'.repeat(254), ''],
])(
  'an instance that is found with the Node %j is nonsense where it has one, and known to a deletion',
  (nodeName, known) => {
    const answer = { outcome: 'found', instance: { providerID: 'acme:///1', nodeName } } as const;
    // @ts-expect-error A driver in another language says what it likes.
    expect(describedBy(answer, asked)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'Internal', message: expect.stringContaining('instance.nodeName: ') },
      meant: { outcome: 'found', instance: { providerID: 'acme:///1', nodeName: known } },
    });
  },
);

test.each([
  { outcome: 'found' },
  { outcome: 'found', instance: { providerID: '', nodeName: 'n' } },
  { outcome: 'missing' },
  { outcome: 'lost' },
  undefined,
])('%j says nothing of an instance: a deletion has it searched for once more', (answer) => {
  // @ts-expect-error A driver in another language says what it likes.
  expect(describedBy(answer, asked)).toMatchObject({
    outcome: 'failed',
    meant: { outcome: 'missing', settleSeconds: 600 },
  });
});

test.each([
  [{ isFound: true }, { isFound: true, settleSeconds: 600 }],
  [{ settleSeconds: 7 }, { isFound: false, settleSeconds: 7 }],
  [
    { isFound: 'yes', settleSeconds: 100_000 },
    { isFound: false, settleSeconds: 86_400 },
  ],
])('a deletion that is answered with %j is one', (part, meant) => {
  // @ts-expect-error A driver in another language says what it likes.
  expect(deletedBy({ outcome: 'deleted', ...part }, asked)).toMatchObject({
    outcome: 'failed',
    failure: { message: expect.stringContaining('fix the driver') },
    meant: { outcome: 'deleted', ...meant },
  });
});

test('what may be no deletion is none', () => {
  // @ts-expect-error A driver in another language says what it likes.
  expect(deletedBy({ outcome: 'gone' }, asked)).not.toHaveProperty('meant');
});

test('an instance that is found without a Node may leave its name empty', () => {
  const answer = { outcome: 'found', instance: { providerID: 'acme:///1', nodeName: '' } } as const;
  expect(describedBy(answer, { ...asked, usesTarget: false })).toEqual(answer);
});
