/** A moto server of one's own: AWS's EC2 and STS on a free port, with everything in memory. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { preparedPython } from '../../deploy/local/prepare/python.ts';

export interface Moto {
  url: string;
  stop(): Promise<void>;
}

export async function startMoto(): Promise<Moto> {
  const python = await preparedPython('moto');
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test run that is broken off must not leave it behind.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const url = await urlOf(child);
  return {
    url,
    async stop() {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      kill();
      await exit;
    },
  };
}

/** It says where it listens, and then each request. */
async function urlOf(child: ChildProcess): Promise<string> {
  const { stderr } = child;
  if (!stderr) throw new Error('moto has no stderr');
  return await new Promise((resolve, reject) => {
    let said = '';
    const fail = (why: string): void => reject(new Error(`moto ${why}: ${said.slice(-500)}`));
    child.once('error', (error) => fail(error.message));
    child.once('exit', () => fail('ended'));
    stderr.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(-4_000);
      const [, url] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}
