/** A Temporal that takes connections, says what it can do, and then answers nothing. */
import { createServer } from 'node:http2';
import { listening } from './listening.ts';

export interface SilentTemporal {
  address: string;
  close: () => Promise<void>;
}

export async function startSilentTemporal(): Promise<SilentTemporal> {
  const server = createServer();
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
  const { port, close } = await listening(server);
  return { address: `127.0.0.1:${port}`, close };
}
