import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { acquireTemporalTestServer } from '../../deploy/local/binaries/acquire.ts';

export interface TestServer {
  address: string;
  stop(): Promise<void>;
}

/** A time-skipping server of its own for one test file. */
export async function startTestServer(): Promise<TestServer> {
  const port = await freePort();
  const server = spawn(await acquireTemporalTestServer(), [String(port)], { stdio: 'ignore' });
  // A test run that ends early must not leave the server behind.
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      process.off('exit', kill);
      const hasExited = once(server, 'exit');
      kill();
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
