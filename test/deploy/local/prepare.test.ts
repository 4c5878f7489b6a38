import { longestFirst } from '../../../deploy/local/binaries/go-build.ts';
import { tools } from '../../../deploy/local/binaries/tools.ts';
import { defaultOptions } from '../../../deploy/local/options.ts';
import { everything, needsOfStack } from '../../../deploy/local/prepare/needs.ts';
import { runTasks, type Task } from '../../../deploy/local/prepare/prepare.ts';
import { plainLines } from '../../../deploy/local/start-view.ts';

const cluster = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'etcd'];

describe('what a stack needs', () => {
  test.each([
    { options: {}, more: ['temporal'] },
    { options: { autoscaler: true }, more: ['temporal', 'cluster-autoscaler'] },
    { options: { monitoring: true }, more: ['temporal', 'prometheus'] },
    { options: { temporalAddress: 'temporal.example:7233' }, more: ['temporal'] },
    {
      options: { temporal: 'postgresql' },
      more: ['temporal', 'temporal-server', 'temporal-sql-tool', 'temporal-ui-server'],
    },
  ] as const)('with $options: $more', ({ options, more }) => {
    expect(needsOfStack({ ...defaultOptions, ...options })).toEqual(
      expect.arrayContaining([...cluster, ...more]),
    );
  });

  test('by default, nothing that only tests and options need', () => {
    expect(needsOfStack(defaultOptions).filter((name) => !cluster.includes(name))).not.toEqual(
      expect.arrayContaining(['prometheus']),
    );
  });

  test('all of it is part of everything, each once', () => {
    expect(new Set(everything).size).toBe(everything.length);
    expect(everything).toEqual(expect.arrayContaining(Object.keys(tools)));
  });
});

/** What was printed, without times. */
async function printedBy(tasks: readonly Task[]): Promise<{ lines: string[]; error: unknown }> {
  const lines: string[] = [];
  const view = plainLines((line) =>
    lines.push(line.replace(/^.* s {2}/, '').replace(/ [\d:]+$/, ' …')),
  );
  const error = await runTasks(tasks, () => view).catch((thrown: unknown) => thrown);
  return { lines, error };
}

describe('tasks', () => {
  test('nothing is said where nothing is missing', async () => {
    expect(await printedBy([])).toEqual({ lines: [], error: undefined });
  });

  test('each says what it does, and the others go on when one fails', async () => {
    const { lines, error } = await printedBy([
      { name: 'etcd', run: () => Promise.reject(new Error('No source has etcd 3.6.16')) },
      {
        name: 'moto',
        run: async (report) => {
          await new Promise(setImmediate);
          report('installing with pip');
        },
      },
    ]);
    expect(lines).toEqual([
      'etcd FAILED: No source has etcd 3.6.16',
      'moto: installing with pip, since …',
      'moto: ready',
    ]);
    expect(String(error)).toBe(
      'Error: etcd: No source has etcd 3.6.16\nRun the same command again once this is fixed: what is finished is kept.',
    );
  });
});

const failingWith = (text: string) => () => Promise.reject(new Error(text));

test('a full disk that all of them meet is said once', async () => {
  const full = 'ENOSPC: no space left on device, write';
  const { error } = await printedBy([
    { name: 'etcd', run: failingWith(full) },
    { name: 'temporal', run: failingWith(`No source has temporal:\n  Go: ${full}`) },
    { name: 'moto', run: failingWith('no Python') },
  ]);
  expect(String(error).split('\n')).toEqual([
    expect.stringMatching(
      /^Error: etcd, temporal: no space left: free some of the disk of \S+, or set XDG_CACHE_HOME/,
    ),
    'moto: no Python',
    'Run the same command again once this is fixed: what is finished is kept.',
  ]);
});

test('builds take turns, and the longest of those that wait goes first', async () => {
  const inTurn = longestFirst(1);
  const order: number[] = [];
  let atOnce = 0;
  let most = 0;
  const build = (minutes: number): Promise<void> =>
    inTurn(minutes, async () => {
      most = Math.max(most, (atOnce += 1));
      order.push(minutes);
      await new Promise(setImmediate);
      atOnce -= 1;
    });
  const failing = inTurn(2, () => Promise.reject(new Error('no space left')));
  await Promise.all([
    build(1),
    build(7),
    expect(failing).rejects.toThrow('no space left'),
    build(3),
  ]);
  expect({ order, most }).toEqual({ order: [7, 3, 1], most: 1 });
});
