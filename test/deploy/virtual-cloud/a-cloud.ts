/** A virtual cloud in this process, and plain calls to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noNodes, type NodeRegistry } from '../../../deploy/local/virtual-cloud/nodes.ts';
import {
  startVirtualCloud,
  type VirtualCloud,
} from '../../../deploy/local/virtual-cloud/virtual-cloud.ts';

export interface TestCloud extends VirtualCloud {
  dataDir: string;
  /** Lines of its log. */
  log: string[];
  call(method: string, path: string, body?: unknown): Promise<CallResult>;
  /** What `GET /instances?<query>` lists. */
  instances(query: string): Promise<ListedInstance[]>;
}

export interface ListedInstance {
  id: string;
  name: string;
  providerID: string;
  state: string;
}

export interface CallResult {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'virtual-cloud-'));
}

/**
 * Fast: machines boot at once and calls take no time. `close` removes the folder, unless it was
 * given.
 */
export async function aCloud(
  given: { dataDir?: string; nodes?: NodeRegistry } = {},
): Promise<TestCloud> {
  const dataDir = given.dataDir ?? temporaryFolder();
  const log: string[] = [];
  const cloud = await startVirtualCloud({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    nodes: given.nodes ?? noNodes,
    log: (line) => log.push(line),
  });
  const call = caller(cloud.url);
  if (given.dataDir === undefined) {
    await call('PUT', '/settings', { bootSeconds: 0, callMilliseconds: 0 });
  }
  return {
    ...cloud,
    dataDir,
    log,
    call,
    async instances(query) {
      const { body } = await call('GET', `/instances?${query}`);
      const { instances }: { instances: ListedInstance[] } = JSON.parse(JSON.stringify(body));
      return instances;
    },
    async close() {
      await cloud.close();
      if (given.dataDir === undefined) rmSync(dataDir, { recursive: true });
    },
  };
}

export function caller(url: string): TestCloud['call'] {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer: Record<string, unknown> = JSON.parse(await response.text());
    return { status: response.status, headers: response.headers, body: answer };
  };
}
