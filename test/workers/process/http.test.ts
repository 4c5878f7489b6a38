import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { Counter } from 'prom-client';
import { freeLoopbackPort, type HttpOptions, openHttpPort } from '../../../workers/process/http.ts';
import { createMetrics } from '../../../workers/metrics/registry.ts';
import { logLines } from '../log/log-lines.ts';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of opened.splice(0)) await part.close();
});

async function aPort(options: Partial<HttpOptions> = {}): Promise<string> {
  const { log } = logLines();
  const port = await openHttpPort({
    address: '127.0.0.1',
    port: 0,
    metrics: createMetrics({ log }),
    isHealthy: () => true,
    whyNotReady: () => undefined,
    log,
    ...options,
  });
  opened.push(port);
  return `http://127.0.0.1:${port.port}`;
}

async function answerOf(url: string, init?: RequestInit) {
  const answer = await fetch(url, init);
  return { code: answer.status, text: await answer.text() };
}

test('/healthz says what MCM says', async () => {
  expect(await answerOf(`${await aPort()}/healthz`)).toEqual({ code: 200, text: 'OK' });
  const ill = await aPort({ isHealthy: () => false });
  expect(await answerOf(`${ill}/healthz`)).toEqual({ code: 500, text: 'Unhealthy' });
});

test('/readyz gives the reason', async () => {
  expect(await answerOf(`${await aPort()}/readyz`)).toEqual({ code: 200, text: 'OK' });
  const waiting = await aPort({ whyNotReady: () => 'waiting for Temporal' });
  expect(await answerOf(`${waiting}/readyz`)).toEqual({
    code: 503,
    text: 'waiting for Temporal\n',
  });
});

test('/configz is an empty object, for tools that ask MCM for it', async () => {
  expect(await answerOf(`${await aPort()}/configz?x=1`)).toEqual({ code: 200, text: '{}' });
});

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === 'IPv6'),
);

(hasIPv6 ? test : test.skip)(
  'all addresses are those of IPv6 as well, as in MCM (where there is IPv6)',
  async () => {
    const { port } = new URL(await aPort({ address: '0.0.0.0' }));
    for (const host of ['127.0.0.1', '[::1]'])
      expect(await answerOf(`http://${host}:${port}/healthz`)).toEqual({ code: 200, text: 'OK' });
  },
);

test('other paths and methods are refused with a hint', async () => {
  const url = await aPort();
  expect(await answerOf(`${url}/`)).toMatchObject({
    code: 404,
    text: expect.stringContaining('/healthz'),
  });
  expect(await answerOf(`${url}/healthz`, { method: 'POST' })).toMatchObject({ code: 405 });
});

test('/metrics has those of the process, ours, and those of the Temporal SDK', async () => {
  const sdkPort = await freeLoopbackPort();
  const sdk = createServer((_, response) => response.end('temporal_worker_start_total 1\n'));
  await new Promise<void>((resolve) => void sdk.listen(sdkPort, '127.0.0.1', resolve));
  opened.push({ close: () => new Promise((resolve) => sdk.close(() => resolve())) });
  const { log } = logLines();
  const metrics = createMetrics({ log, sdkMetricsUrl: `http://127.0.0.1:${sdkPort}` });
  const registers = [metrics.registry];
  new Counter({ name: 'millwright_signals_total', help: 'Signals sent.', registers }).inc(2);
  const { code, text } = await answerOf(`${await aPort({ metrics })}/metrics`);
  expect(code).toBe(200);
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).toContain('millwright_signals_total 2');
  expect(text).toContain('temporal_worker_start_total 1');
});

test('/metrics does without the SDK when it does not answer', async () => {
  const { log, lines } = logLines();
  const sdkMetricsUrl = `http://127.0.0.1:${await freeLoopbackPort()}`;
  const metrics = createMetrics({ log, sdkMetricsUrl });
  expect(await answerOf(`${await aPort({ metrics })}/metrics`)).toMatchObject({ code: 200 });
  expect(lines).toMatchObject([{ msg: 'metrics of the Temporal SDK cannot be read' }]);
});

test('a port that is taken is an error', async () => {
  const taken = Number(new URL(await aPort()).port);
  await expect(aPort({ port: taken })).rejects.toThrow('EADDRINUSE');
});
