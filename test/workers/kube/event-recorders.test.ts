import { Registry } from 'prom-client';
import { createDropReport } from '../../../workers/kube/event-recorders.ts';

test('dropped Events are counted by reason, and each reason is logged once', async () => {
  const registry = new Registry();
  const lines: unknown[] = [];
  const log = { warn: (line: unknown) => void lines.push(line) };
  const report = createDropReport({ log, registry });
  const err = new Error('exceeded quota');
  for (let count = 0; count < 3; count += 1) report('refused', err);
  report('rateLimited');
  const text = await registry.metrics();
  expect(text).toContain('millwright_events_dropped_total{reason="refused"} 3');
  expect(text).toContain('millwright_events_dropped_total{reason="rateLimited"} 1');
  expect(text).toContain('millwright_events_dropped_total{reason="queueFull"} 0');
  expect(lines).toEqual([
    { err, reason: 'refused' },
    { err: undefined, reason: 'rateLimited' },
  ]);
});
