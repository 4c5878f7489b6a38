/** The collector of OpenTelemetry takes our spans, and hands them on as they were. */
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import type { OtlpReceiver } from '../support/otlp-receiver.ts';
import { eventually } from './support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from './support/machines.ts';
import { startCollector } from './support/otel-collector.ts';
import type { Collector } from './support/otel-collector.ts';
import { useScenario } from './support/scenario.ts';

describe('through a collector', () => {
  let receiver: OtlpReceiver;
  let collector: Collector;
  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    collector = await startCollector(receiver.url);
  });
  afterAll(async () => {
    await collector.stop();
    await receiver.close();
  });
  const env = (): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const scenario = useScenario('collected', { flags: ['--traces=otlp'], env, isDoubled: false });

  test('a launch and a removal arrive, each as one trace of watcher and worker', async () => {
    const name = await createMachine(scenario, 'lone');
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
    for (const operation of ['launch Machine', 'removal Machine']) {
      await eventually(`the trace "${operation}" has arrived`, () => {
        const span = receiver.spans.find((one) => one.name === operation);
        expect(span?.attributes).toMatchObject({ 'millwright.machine': name });
        const root = receiver.spans.find(({ spanId }) => spanId === span?.parentSpanId);
        expect(root).toMatchObject({ traceId: span?.traceId, service: 'millwright-watcher' });
      });
    }
  });
});
