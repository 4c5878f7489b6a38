import { setTimeout as delay } from 'node:timers/promises';
import { runProgram } from '../binaries/program.ts';
import { host } from '../supervision/ports.ts';
import { answersOk, type Job } from './component.ts';
import type { StackWorld } from './world.ts';

/** As long as the development server keeps closed workflows. */
const retention = '24h';
/** The services of the server read all namespaces every 2 s. */
const knownWithinMs = 60_000;

/** The namespace that the development server has from its beginning. */
export function temporalNamespace({ binary, ports }: StackWorld): Job {
  const address = `--address=${host}:${ports.temporal}`;
  const operator = (...args: string[]): Promise<string> =>
    runProgram(binary('temporal'), ['operator', ...args, '--namespace=default', address]);
  return {
    name: 'temporal-namespace',
    needs: ['temporal'],
    run: async () => {
      const url = `http://${host}:${ports.temporalHttp}/api/v1/namespaces/default`;
      const isThere = await answersOk(url);
      if (!isThere) await operator('namespace', 'create', `--retention=${retention}`);
      await untilKnown(() => operator('search-attribute', 'list'));
      return isThere ? '' : 'made default';
    },
  };
}

/** `ask` rejects until the server has read the namespace. Rejects with its last answer. */
async function untilKnown(ask: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + knownWithinMs;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(200);
  }
}
