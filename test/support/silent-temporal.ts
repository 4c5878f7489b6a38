/** A Temporal that takes connections, says what it can do, and then answers nothing. */
import { createServer } from 'node:http2';

export interface SilentTemporal {
  address: string;
  close(): Promise<void>;
}

export async function startSilentTemporal(): Promise<SilentTemporal> {
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer();
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
  return {
    address: typeof bound === 'object' ? `127.0.0.1:${bound?.port}` : '',
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
