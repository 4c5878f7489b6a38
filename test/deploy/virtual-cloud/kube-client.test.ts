import { reportingReach } from '../../../deploy/local/virtual-cloud/kube-client.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

test('an outage is one line at its start and one at its end, and a refusal is no outage', async () => {
  const lines: string[] = [];
  const server = new InMemoryClient();
  const client = reportingReach(server, (line) => lines.push(line));
  const away = { code: 0, reason: 'Unreachable', message: 'connect ECONNREFUSED' };
  for (const verdict of [undefined, away, away, { code: 403, reason: 'Forbidden' }, away]) {
    server.fault = () => verdict;
    await client.get('/api/v1/nodes').catch(String);
  }
  server.fault = () => undefined;
  expect(await client.list('/api/v1/nodes')).toMatchObject({ items: [] });
  const begin =
    'the API server does not answer: KubeError: GET /api/v1/nodes: Unreachable: connect ECONNREFUSED';
  const end = 'the API server answers again';
  expect(lines).toEqual([begin, end, begin, end]);
});
