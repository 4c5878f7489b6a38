/** Which Deployments serve a namespace, where several installs are in the release namespace. */
import type { KubeList, Query } from '../../../kube/client/client.ts';
import { observe } from '../../../cli/doctor/observed.ts';
import { readSurroundings } from '../../../cli/install/read.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { overTheWire } from '../../support/api-server/json.ts';

const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };

/** A watcher for each list of flags, `w-0` and so on. */
class WithWatchers extends InMemoryClient {
  readonly #items: object[];

  constructor(...flags: string[][]) {
    super(system);
    this.#items = flags.map((args, index) => ({
      metadata: {
        namespace: 'release',
        name: `w-${index}`,
        labels: {
          'app.kubernetes.io/component': 'watcher',
          'app.kubernetes.io/name': 'millwright',
        },
      },
      spec: { template: { spec: { containers: [{ name: 'watcher', args }] } } },
    }));
  }

  /** The API server in memory has no Deployments. */
  override async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    if (!path.startsWith('/apis/apps/')) return await super.list<T>(path, query);
    return overTheWire({ metadata: { resourceVersion: '1' }, items: this.#items });
  }
}

const asked = { releaseNamespace: 'release' };
const other = ['--namespace=shoot--b', '--install=other'];
const fleet = ['--namespaces=labels:fleet=eu', '--install=eu'];

test.each<[string, string[][], { names: string[]; install: string }]>([
  ['its own', [other, ['--namespace=shoot--a', '--install=a']], { names: ['w-1'], install: 'a' }],
  ['a fleet by labels', [other, fleet], { names: ['w-1'], install: 'eu' }],
  [
    'a fleet by names',
    [['--namespaces=shoot--a,shoot--c', '--install=eu']],
    { names: ['w-0'], install: 'eu' },
  ],
  [
    'a fleet by names with blanks, as its processes take them',
    [['--namespaces=shoot--c, shoot--a', '--install=eu']],
    { names: ['w-0'], install: 'eu' },
  ],
  ['none', [other, ['--namespaces=shoot--c', '--install=eu']], { names: [], install: '' }],
])('a namespace is served by %s', async (_by, flags, { names, install }) => {
  const kube = new WithWatchers(...flags);
  const place = { kube, namespace: 'shoot--a' };
  const read = await readSurroundings(place, asked);
  expect(read.around.processes.map(({ name }) => name)).toEqual(names);
  expect(read.flags.name).toBe(install);
  const observed = await observe(place, kube, asked);
  expect(observed.ours?.map(({ metadata }) => metadata.name)).toEqual(names);
  expect(observed.taskQueue).toMatch(new RegExp(`/${install === '' ? 'shoot--a' : install}$`));
});
