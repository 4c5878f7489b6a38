import { expect, test } from 'vitest';
import { linesOf } from '../../cli/explain/from-temporal.ts';

test('the page of a workflow is told in lines, without its marks, its commands and the console', () => {
  const page = [
    '### Machine shoot/pool-1-a: Failed since 2026-01-01T00:20:00Z',
    '- **Waits:** failed: its owner replaces it',
    '- **Node:** `pool-1-a`',
    '- **Console of the instance**, its end at 2026-01-01T00:19:58Z:',
    '',
    '    kubelet: no such host',
    '',
    'What you can do:',
    '',
    '    kubectl -n shoot describe machine pool-1-a',
  ].join('\n');
  const lines = ['Waits: failed: its owner replaces it', 'Node: pool-1-a'];
  expect(linesOf(page)).toEqual(lines);
});
