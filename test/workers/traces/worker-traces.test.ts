/** The worker's spans of activities. */
import type { Context } from '@temporalio/activity';
import type { Span } from '@opentelemetry/api';
import { defaultPayloadConverter } from '@temporalio/common';
import { activityTraceHeader } from '../../../workflows/contracts/tracing.ts';
import { secretValues } from '../../../activities/redaction/secret-values.ts';
import { createActivityTraces } from '../../../workers/traces/tracing.ts';

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test('a failure that quotes what was read as a secret is traced without it', async () => {
  const statuses: unknown[] = [];
  const span: Partial<Span> = {
    setStatus: (status) => Object(statuses.push(status)),
    end: () => undefined,
  };
  const traces = createActivityTraces({
    begin: () => Object(span),
    keeps: () => true,
    close: async () => {},
  });
  const context: Context = Object({ info: { activityType: 'launch' } });
  secretValues.addDataOf({ clientSecret: 'correct horse battery' });
  const headers = { [activityTraceHeader]: defaultPayloadConverter.toPayload({ traceparent }) };
  const execution = traces(context).inbound?.execute?.({ args: [], headers }, () =>
    Promise.reject(new Error('the cloud refuses correct horse battery')),
  );
  await expect(execution).rejects.toThrow('correct horse battery');
  expect(statuses).toMatchObject([{ message: 'the cloud refuses [redacted]' }]);
});
