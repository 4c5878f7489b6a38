/** Names for completion, and what the words of an unfinished line say. */
import { setEnvironment } from '../../support/environment.ts';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readNames as readNamesWithin } from '../../../cli/completion/complete.ts';
import type { Words } from '../../../cli/completion/words.ts';
import { wordsBefore } from '../../../cli/completion/words.ts';
import type { NamedCluster } from './cluster.ts';
import { aNamedCluster, contexts } from './cluster.ts';

/** However slow the machine is. */
const readNames = (words: Words) => readNamesWithin(words, 600_000);

const typed = async (...words: string[]) => await readNames(wordsBefore(words));

describe('names of a cluster', () => {
  let cluster: NamedCluster;
  beforeAll(async () => {
    cluster = await aNamedCluster();
  });
  afterAll(async () => {
    await cluster.close();
  });

  const namesFor = async (...words: string[]) =>
    await readNames(wordsBefore([...words, '--kubeconfig', cluster.kubeconfig, '']));

  test('are those of the kinds that the command takes, and of options', async () => {
    const { kubeconfig } = cluster;
    const { ofObjects } = await namesFor('preserve');
    expect(ofObjects).toEqual(['machine/machines-a', 'node/nodes-a']);
    const options = await readNames({ kinds: [], option: 'class', kubeconfig });
    expect(options.ofOptions).toEqual(new Map([['class', ['machineclasses-a']]]));
    const ofContexts = await readNames({ kinds: [], option: 'context', kubeconfig });
    expect(ofContexts.ofOptions).toEqual(new Map([['context', contexts]]));
  });

  test('are those of the cluster of the Nodes for Nodes', async () => {
    const target = await aNamedCluster();
    target.suffix = 'of-target';
    const flag = `--target-kubeconfig=${target.kubeconfig}`;
    const { ofObjects } = await namesFor('preserve', flag);
    expect(ofObjects).toEqual(['machine/machines-a', 'node/nodes-of-target']);
    await target.close();
  });

  test('of one kind are left out where they may not be read, and no others', async () => {
    cluster.refuses = 'nodes';
    expect((await namesFor('preserve')).ofObjects).toEqual(['machine/machines-a']);
    cluster.refuses = '';
  });

  test('of many are those that begin as what is typed does', async () => {
    cluster.count = 2_000;
    const here = `--kubeconfig=${cluster.kubeconfig}`;
    const objects = await typed('explain', here, 'machine/machines-a199');
    expect(objects.ofObjects).toHaveLength(11);
    expect(objects.ofObjects).toContain('machine/machines-a1999');
    const { ofOptions } = await typed('doctor', here, '--namespace=namespaces-a199');
    expect(ofOptions.get('namespace')).toHaveLength(11);
    expect((await typed('explain', here, '')).ofObjects).toHaveLength(3 * 500);
    cluster.count = 1;
  });

  test('are left out where it does not answer', async () => {
    cluster.answers = false;
    const words = wordsBefore(['skip-drain', '--kubeconfig', cluster.kubeconfig, '']);
    expect(await readNamesWithin(words, 100)).toEqual({ ofObjects: [], ofOptions: new Map() });
  });
});

test('contexts are those of the files in KUBECONFIG that there are', async () => {
  const cluster = await aNamedCluster();
  const none = join(cluster.folder, 'none');
  const restore = setEnvironment({ KUBECONFIG: [none, cluster.kubeconfig, ''].join(delimiter) });
  const { ofOptions } = await readNames({ kinds: [], option: 'context' });
  expect(ofOptions.get('context')).toEqual(contexts);
  restore();
  await cluster.close();
});

test('names are left out where the kubeconfig cannot be read', async () => {
  const words = { kinds: ['machine'], option: undefined, kubeconfig: '/nowhere' } as const;
  expect(await readNames(words)).toEqual({ ofObjects: [], ofOptions: new Map() });
  const ofContexts = { ...words, kinds: [], option: 'context' } as const;
  expect(await readNames(ofContexts)).toEqual({ ofObjects: [], ofOptions: new Map() });
});

test.each([
  [['rollout', 'status', ''], { kinds: ['machinedeployment'] }],
  [['preserve', 'no'], { kinds: ['machine', 'node'] }],
  [['explain', ''], { kinds: ['machine', 'machineset', 'machinedeployment'] }],
  [['skip-drain', '-n', 'shoot', ''], { kinds: ['machine'], namespace: 'shoot' }],
  [['doctor', '--context=a', '-n', ''], { kinds: [], option: 'namespace', context: 'a' }],
  [['doctor', '--namespace=sh'], { kinds: [], option: 'namespace' }],
  [['plan', 'mcd/pool', '--class', 'la'], { kinds: [], option: 'class' }],
  [['skip-drain', '--y'], { kinds: [] }],
  [['sk'], { kinds: [] }],
  [['stuck', '--kubeconfig', '~/a', ''], { kubeconfig: `${homedir()}/a` }],
])('after %j it is known what is to be completed', (words, expected) => {
  expect(wordsBefore(words)).toMatchObject(expected);
});
