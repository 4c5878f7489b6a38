/** What the SDK logs comes out of our logger: failures of attempts once. */
import { entriesTo } from '../../../workers/temporal/runtime.ts';
import { logLines } from '../log/log-lines.ts';

test('each level of the SDK is one of ours, and failures of attempts are folded', () => {
  const { log, lines } = logLines();
  const write = entriesTo(log);
  const meta = { activityType: 'syncNode', error: new Error('refused') };
  write({ level: 'DEBUG', message: 'Activity started', meta: { attempt: 1 } });
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    write({ level: 'WARN', message: 'Activity failed', meta: { ...meta, attempt } });
  }
  write({ level: 'ERROR', message: 'lost', meta: {} });
  expect(lines.map(({ level, msg, attempt }) => [level, msg, attempt])).toEqual([
    [20, 'Activity started', 1],
    [40, 'Activity failed', 1],
    [50, 'lost', undefined],
  ]);
});
