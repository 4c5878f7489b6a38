/** How the trace of an operation gets from one run to the next. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import type { Operations } from '../../../workflows/contracts/tracing.ts';
import { activityTraceHeader, signalTraceHeader } from '../../../workflows/contracts/tracing.ts';
import { interceptors } from '../../../workflows/runtime/trace-interceptors.ts';

const traceparent = `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`;
const context = { operation: 'launch', traceparent, spanId: 'b'.repeat(16), links: [] };

interface Sent {
  args?: unknown[];
  headers: Headers;
}

/** One run: what its workflow gets, and what it sends. */
function aRun() {
  const { inbound: [inbound] = [], outbound: [outbound] = [] } = interceptors();
  return {
    async begin(args: unknown[]): Promise<Record<string, unknown> & { operations: Operations }> {
      let given: unknown;
      const input = { args, headers: {} };
      await inbound?.execute?.(input, async (execution) => {
        [given] = execution.args;
      });
      return Object(given);
    },
    async hear(): Promise<void> {
      const headers = { [signalTraceHeader]: defaultPayloadConverter.toPayload(context) };
      const input = { args: [], signalName: 'machineSeen', headers };
      await inbound?.handleSignal?.(input, async () => undefined);
    },
    async schedule(): Promise<Headers> {
      const sent: Sent[] = [];
      const next = async (input: Sent) => void sent.push(input);
      await outbound?.scheduleActivity?.(Object({ headers: {} }), next);
      return sent[0]?.headers ?? {};
    },
    async continueAsNew(input: object): Promise<Sent> {
      const sent: Sent[] = [];
      const next = async (one: Sent): Promise<never> => {
        sent.push(one);
        throw new Error('the run ends');
      };
      const end = outbound?.continueAsNew?.(Object({ args: [input], headers: {} }), next);
      await expect(end).rejects.toThrow('the run ends');
      return sent[0] ?? { headers: {} };
    },
  };
}

test('an operation goes on in the next run, with what it says in payloads alone', async () => {
  const ref = { namespace: 'shoot', name: 'pool-a' };
  const first = aRun();
  const { operations } = await first.begin([{ ref }]);
  await first.hear();
  const attributes = { 'millwright.provider_id': 'virtual:///zone-1/i-7' };
  operations.follow(() => ({ name: 'launch', phase: 'Pending', isFailed: false, attributes }));
  const { args = [], headers } = await first.continueAsNew({ ref });
  // Headers are not encrypted.
  expect(headers).toEqual({});
  expect(JSON.stringify(args)).toContain('virtual:///zone-1/i-7');

  const next = aRun();
  const given = await next.begin(args);
  expect(given).toEqual({ ref });
  expect(Object.keys(await next.schedule())).toEqual([activityTraceHeader]);
  expect(await next.schedule()).toEqual(await first.schedule());
});

test('without an operation the next run gets what the workflow hands over', async () => {
  const run = aRun();
  await run.begin([{ ref: {} }]);
  expect(await run.continueAsNew({ ref: {} })).toEqual({ args: [{ ref: {} }], headers: {} });
});
