import { execFileSync } from 'node:child_process';
import { summaryOf } from '../../../deploy/local/summary.ts';
import type { Stack } from '../../../deploy/local/supervision/stack-file.ts';

function summaryIn(stateDir: string, components: Stack['components'] = {}): string {
  const stack: Stack = {
    state: 'running',
    stateDir,
    kubeconfig: `${stateDir}/kubeconfig`,
    namespace: 'default',
    environment: {},
    ports: JSON.parse('{}'),
    supervisor: { pid: 1, started: '' },
    components,
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

test('beside a front the objects of Kubermatic are tried, and named by their group', () => {
  const summary = summaryIn('/var/second', JSON.parse('{"front":{}}'));
  expect(summary).toContain('kubectl apply -f deploy/examples/kubermatic/fake.yaml\n');
  expect(summary).toContain('kubectl get machines.cluster.k8s.io,nodes\n');
});
