/** Commands whose API server does not answer say so within seconds, and which one it is. */
import { writeFileSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from '../../support/listening.ts';
import { inCluster } from '../../../cli/connection/cluster.ts';
import { readInstall } from '../../../cli/install/read.ts';
import { inTarget } from '../../../cli/connection/target.ts';
import { HttpApiServer } from '../../support/api-server/http-api-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'connect-'));

function kubeconfigOf(server: string): string {
  const file = join(folder, `${Buffer.from(server).toString('hex')}.yaml`);
  const content = {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'eu', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'eu',
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test.each(['http', 'https'])(
  'a port that takes connections and answers nothing, by %s, costs no more than one attempt',
  async (scheme) => {
    let connections = 0;
    await using silent = await listening(createServer(() => void (connections += 1)));
    const server = `${scheme}://127.0.0.1:${silent.port}`;
    const kubeconfig = kubeconfigOf(server);
    const answer = inCluster({ kubeconfig, context: 'eu' }, (place) => readInstall(place, {}));
    await expect(answer).rejects.toThrow(
      `The API server ${server} (${kubeconfig}, context eu) does not answer: `,
    );
    expect(connections).toBe(1);
  },
);

test('one that is not there, of the machines or of the Nodes, is named with the flag', async () => {
  const nowhere = kubeconfigOf('http://127.0.0.1:1');
  await expect(inCluster({ kubeconfig: nowhere }, async () => 'done')).rejects.toThrow(
    /^The API server http:.*:1 \(.*\) does not answer: .*ECONNREFUSED.*--kubeconfig and --context/,
  );
  const there = await HttpApiServer.start();
  const kubeconfig = kubeconfigOf(there.kubeConfig.cluster.server);
  const ofNodes = inCluster({ kubeconfig }, (place) =>
    inTarget(place, { targetKubeconfig: nowhere }, async () => 'done'),
  );
  await expect(ofNodes).rejects.toThrow(/of the Nodes .* does not answer: .*--target-kubeconfig/);
  // One that falls silent later, and one that refuses, which is an answer.
  there.respond = ({ path }) => (path === '/version' ? { code: 403 } : 'reset');
  await expect(inCluster({ kubeconfig }, (place) => readInstall(place, {}))).rejects.toThrow(
    /^The API server .* does not answer: /,
  );
  expect(await inCluster({ kubeconfig }, async ({ namespace }) => namespace)).toBe('default');
  await there.stop();
});
