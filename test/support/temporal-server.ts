import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { acquireTemporalTestServer } from '../../deploy/local/binaries/acquire.ts';

/** The server goes with the pipe to this process, however this process ends. */
const untilInputEnds = '"$0" "$1" & cat >/dev/null; kill -9 $!; wait $!';

export interface TestServer {
  address: string;
  stop(): Promise<void>;
}

/** A time-skipping server of its own for one test file. */
export async function startTestServer(): Promise<TestServer> {
  const port = await freePort();
  const binary = await acquireTemporalTestServer();
  const server = spawn('/bin/sh', ['-c', untilInputEnds, binary, String(port)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      const hasExited = once(server, 'exit');
      server.stdin.end();
      await hasExited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
