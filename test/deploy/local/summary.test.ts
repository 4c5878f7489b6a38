import { execFileSync } from 'node:child_process';
import { summaryOf } from '../../../deploy/local/summary.ts';
import type { Stack } from '../../../deploy/local/supervision/stack-file.ts';

function summaryIn(stateDir: string): string {
  const stack: Stack = {
    state: 'running',
    stateDir,
    kubeconfig: `${stateDir}/kubeconfig`,
    namespace: 'default',
    environment: {},
    ports: JSON.parse('{}'),
    supervisor: { pid: 1, started: '' },
    components: {},
  };
  return summaryOf(stack, { title: 'It is ready.', detached: true });
}

test.each(['/var/second', '/var/My Stacks', "/var/Ada's stacks"])(
  'the commands of the summary can be pasted where the folder is %s',
  (stateDir) => {
    const summary = summaryIn(stateDir);
    const set = /export KUBECONFIG=.*/.exec(summary)?.[0] ?? '';
    const script = `${set}; printf %s "$KUBECONFIG"`;
    const env = { PATH: process.env['PATH'] };
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8', env })).toBe(
      `${stateDir}/kubeconfig`,
    );
    const folder = /--state-dir (.*) ends it/.exec(summary)?.[1] ?? '';
    expect(execFileSync('sh', ['-c', `printf %s ${folder}`], { encoding: 'utf8' })).toBe(stateDir);
  },
);

test('a plain folder stands as it is', () => {
  expect(summaryIn('/var/second')).toContain('export KUBECONFIG=/var/second/kubeconfig\n');
});
