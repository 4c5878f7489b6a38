/** A Temporal that takes connections, and then answers nothing. */
import { createServer } from 'node:http2';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { lifeInTemporal } from '../../cli/timeline/from-temporal.ts';

const sessions = new Set<{ destroy(): void }>();
const server = createServer();
let address = '';

beforeAll(async () => {
  server.on('session', (session) => void sessions.add(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (!String(headers[':path']).endsWith('/GetSystemInfo')) return;
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  address = typeof bound === 'object' ? `127.0.0.1:${bound?.port}` : '';
});

afterAll(async () => {
  for (const session of sessions) session.destroy();
  await new Promise((resolve) => void server.close(resolve));
});

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  }
});

test('timeline waits for it no longer than for a moment', async () => {
  const life = lifeInTemporal('machine/shoot/a', { temporalAddress: address });
  await expect(life).rejects.toThrow('Failed to describe workflow');
}, 25_000);
