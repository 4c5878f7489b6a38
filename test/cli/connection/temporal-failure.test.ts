/** What an attempt failed with, where messages are encrypted: docs/security.md. */
import { createSecretKey, randomBytes } from 'node:crypto';
import {
  encodeErrorToFailure,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import { attemptOf } from '../../../cli/explain/from-temporal.ts';
import type { HistoryEvent } from '../../../cli/timeline/from-temporal.ts';
import { readerOf } from '../../../cli/timeline/from-temporal.ts';
import { stepsOf } from '../../../cli/timeline/from-temporal.ts';
import { dataConverterOf } from '../../../workers/payloads/data-converter.ts';

const keysOf = (id: string) =>
  dataConverterOf({ payloadKeys: [{ id, key: createSecretKey(randomBytes(32)) }] });
const { dataConverter } = keysOf('a');
const converter = loadDataConverter(dataConverter);

async function encrypted(message: string) {
  const failure = await encodeErrorToFailure(converter, new Error(message));
  expect(failure.message).toBe('Encoded failure');
  return failure;
}

test('explain decrypts what an attempt failed with, with the keys', async () => {
  const pending = { attempt: 2, lastFailure: await encrypted('1 pod left') };
  expect(await attemptOf(pending, converter)).toMatchObject({ lastError: '1 pod left' });
  for (const other of [undefined, keysOf('b').dataConverter]) {
    const attempt = await attemptOf(pending, loadDataConverter(other));
    expect(attempt).toMatchObject({ attempt: 2, lastError: 'Encoded failure' });
  }
});

test('timeline does so as well', async () => {
  const failure = await encrypted('quota');
  const events = [
    anEvent({ activityTaskScheduledEventAttributes: { activityType: { name: 'createInstance' } } }),
    anEvent({ activityTaskFailedEventAttributes: { scheduledEventId: 1, failure } }),
  ];
  const { steps } = await stepsOf(events, readerOf(dataConverter));
  expect(steps).toMatchObject([{ name: 'createInstance', failure: 'quota' }]);
});

function anEvent(attributes: object): HistoryEvent {
  const event: object = { eventId: 1, ...attributes };
  return event;
}
