import { ignoredOptions } from '../../../deploy/local/ignored-options.ts';
import { parseStartArguments } from '../../../deploy/local/options.ts';
import type { RunningComponent, Stack } from '../../../deploy/local/supervision/stack-file.ts';

const component: RunningComponent = { pid: 1, started: '', address: '', log: '', restarts: 0 };

function aStack(components: readonly string[], state: Stack['state'] = 'running'): Stack {
  return {
    state,
    stateDir: '/tmp/x',
    kubeconfig: '/tmp/x/kubeconfig',
    namespace: 'default',
    environment: { TEMPORAL_ADDRESS: '127.0.0.1:7233' },
    ports: JSON.parse('{}'),
    supervisor: component,
    components: Object.fromEntries(components.map((name) => [name, component])),
  };
}

function ignoredOf(line: string, stack: Stack | undefined): string[] {
  const command = parseStartArguments(line.split(' ').filter((word) => word !== ''));
  if (command.help) throw new Error('help was asked for');
  return ignoredOptions(command.options, stack);
}

const all = '--fresh --no-operator --autoscaler --monitoring --update-agent --namespace shoot';

test.each([
  { line: '', ignored: [] },
  { line: '--keep --audit', ignored: [] },
  { line: all, ignored: all.replace(' shoot', '').split(' ') },
  { line: '--temporal=postgresql', ignored: ['--temporal'] },
  { line: '--temporal-address temporal:7233', ignored: ['--temporal-address'] },
  { line: '--temporal-address 127.0.0.1:7233', ignored: [] },
])('of "$line" a running stack takes up none of $ignored', ({ line, ignored }) => {
  expect(ignoredOf(line, aStack(['watcher', 'worker', 'temporal']))).toEqual(ignored);
});

test('what the stack has is not ignored', () => {
  const stack = aStack(['cluster-autoscaler', 'prometheus', 'postgresql', 'update-agent']);
  const line = '--no-operator --autoscaler --monitoring --update-agent --temporal=postgresql';
  expect(ignoredOf(line, stack)).toEqual([]);
});

test('of one that is only starting it is not known yet', () => {
  expect(ignoredOf(all, aStack([], 'starting'))).toEqual(['--fresh']);
  expect(ignoredOf(all, undefined)).toEqual(['--fresh']);
});
