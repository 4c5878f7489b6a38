/** The simulator of a vCenter (deploy/local/tools/vcsim), for the tests of one file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';

export interface VcsimRule {
  /** `CloneVM_Task`. */
  method?: string;
  /** Name of a fault of the API. */
  fault?: string;
  message?: string;
  /** The call begins a task, which fails; without a fault it is done, and has done nothing. */
  inTask?: boolean;
  /** How often. Default: always. */
  count?: number;
  /** Each task takes so long from now on. */
  taskMilliseconds?: number;
}

export interface Vcsim {
  /** Of the API. */
  url: string;
  order: (rule: VcsimRule) => Promise<void>;
  /** Nothing of what was ordered holds any more. */
  clear: () => Promise<void>;
  close: () => Promise<void>;
}

export async function startVcsim(): Promise<Vcsim> {
  const file = await preparedBinary('vcsim');
  // It ends when its input does, however this process ends.
  const child = spawn(file, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [url = ''] = (await once(lines, 'line')).map(String);
  const rules = new URL('/rules', url);
  const send = async (method: string, body?: object): Promise<void> => {
    const answer = await fetch(rules, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`vcsim: ${await answer.text()}`);
  };
  return {
    url,
    order: (rule) => send('POST', rule),
    clear: () => send('DELETE'),
    async close() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}
