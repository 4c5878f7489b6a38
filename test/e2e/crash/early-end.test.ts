/** A worker that is asked to end before it has started: on a busy machine a start takes seconds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { useScenario } from '../support/scenario.ts';

describe('a worker that is asked to end', () => {
  const scenario = useScenario('early', { isDoubled: false });

  test.each(['serving /healthz', 'Temporal at', 'serves the provider', 'state changed', 'working'])(
    'when its log says "%s" ends in order',
    async (text) => {
      const { operator } = scenario;
      const log = join(operator.logs, 'worker.log');
      await operator.retire('worker');
      const { length } = await readFile(log, 'utf8');
      operator.startAgain('worker');
      await eventually(
        `the log says ${text}`,
        async () => expect((await readFile(log, 'utf8')).slice(length)).toContain(text),
        { pollMilliseconds: 5 },
      );
      await operator.retire('worker');
      expect(operator.faults).toEqual([]);
      operator.startAgain('worker');
    },
  );
});
