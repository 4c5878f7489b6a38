/** What the waits of a migration bear. */
import { until } from '../../../cli/migrate/steps.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const failure = (code: number, reason: string) =>
  new KubeError({ code, reason, message: 'no answer', method: 'GET', path: '/x' });

function waitFor(answers: (() => Promise<string | undefined>)[]) {
  const said: string[] = [];
  const scope = { kube: new InMemoryClient(), namespace: 'shoot' };
  const options = { mcmDeployments: [], externalProviders: [], timeoutSeconds: 5 };
  const steps = { scope, options, report: (step: string) => void said.push(step) };
  const over = until(steps, 'MCM acts', async () => await answers.shift()?.());
  return { said, over };
}

test('an API server that restarts ends no wait', async () => {
  const { said, over } = waitFor([
    () => Promise.reject(failure(0, 'Unreachable')),
    () => Promise.reject(failure(503, 'HTTP503')),
    () => Promise.resolve(undefined),
  ]);
  await over;
  expect(said).toEqual([
    'waiting: the API server does not answer (GET /x: Unreachable: no answer)',
    'waiting: the API server does not answer (GET /x: 503 HTTP503: no answer)',
  ]);
});

test('one that refuses does', async () => {
  const { over } = waitFor([() => Promise.reject(failure(403, 'Forbidden'))]);
  await expect(over).rejects.toThrow('403 Forbidden');
});
