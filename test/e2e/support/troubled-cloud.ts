/**
 * A relay in front of the virtual cloud that keeps silent, or answers in its place, when the
 * conformance kit says so.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Relay } from './relay.ts';
import { testStack } from './test-stack.ts';

export interface TroubledCloud {
  /** For drivers. */
  url: string;
  /** For `--trouble`. */
  command: string;
  stop(): Promise<void>;
}

/** `origin`: of the cloud; default that of the stack. */
export async function startTroubledCloud(origin?: string): Promise<TroubledCloud> {
  const folder = await mkdtemp(join(tmpdir(), 'troubled-cloud-'));
  const file = join(folder, 'trouble');
  await writeFile(file, 'over');
  const relay = new Relay(
    { origin: origin ?? testStack().virtualCloud },
    async (_request, forward) => {
      const trouble = await readFile(file, 'utf8');
      if (trouble === 'silent') return await new Promise<never>(() => undefined);
      return trouble === 'stranger' ? pageOfProxy() : await forward();
    },
  );
  return {
    url: await relay.start(),
    // Its instances run at once: none dies in its create.
    command: `arrange() { [ "$1" != dying ] || exit 3; printf %s "$1" > '${file}'; }; arrange`,
    async stop() {
      await relay.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function pageOfProxy(): IncomingMessage {
  const page = new IncomingMessage(new Socket());
  page.statusCode = 404;
  page.headers = { 'content-type': 'text/html' };
  page.push('<html><body>404 Not Found</body></html>');
  page.push(null);
  return page;
}
