/** An API server that has one object of each kind, and a kubeconfig for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from '../../support/listening.ts';

export interface NamedCluster {
  folder: string;
  /** In `folder`. */
  kubeconfig: string;
  /** False: it takes requests, and does not answer. */
  answers: boolean;
  /** What the names of its objects end with. */
  suffix: string;
  /** Of each kind. Of more than one each has its number behind that. */
  count: number;
  /** A resource that may not be listed. */
  refuses: string;
  close(): Promise<void>;
}

/** The first one is the current one. */
export const contexts = ['here', 'arn:aws:eks:eu-west-1:1:cluster/prod', 'two words'];

/** Its objects have the name of their resource with `-a`, such as `machines-a`. */
export async function aNamedCluster(): Promise<NamedCluster> {
  const server = createServer((request, response) => {
    if (!cluster.answers) return;
    const resource = new URL(request.url ?? '', 'http://here').pathname.split('/').at(-1);
    const items = Array.from({ length: cluster.count }, (_one, index) => ({
      metadata: { name: `${resource}-${cluster.suffix}${cluster.count > 1 ? index : ''}` },
    }));
    if (resource === cluster.refuses) response.statusCode = 403;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
  });
  const { url, close } = await listening(server);
  const folder = await mkdtemp(join(tmpdir(), 'completion-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const here = { name: 'here' };
  const content = {
    clusters: [{ ...here, cluster: { server: url } }],
    users: [{ ...here, user: {} }],
    contexts: contexts.map((name) => ({ name, context: { cluster: 'here', user: 'here' } })),
    'current-context': 'here',
  };
  await writeFile(kubeconfig, JSON.stringify(content));
  const cluster: NamedCluster = {
    folder,
    kubeconfig,
    answers: true,
    suffix: 'a',
    count: 1,
    refuses: '',
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
  return cluster;
}
