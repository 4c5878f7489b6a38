/** The local stack itself: starts a second one in a folder of its own, and kills parts of it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { readStack, startStack, stopStack, type Stack } from '../../../deploy/local/stack.ts';
import { isAlive, signalProcess } from '../../../deploy/local/supervision/identity.ts';
import { eventually } from '../../support/eventually.ts';

let stateDir: string;
let kubectlBinary: string;
/** The API server's port before the supervisor was killed. */
let portBefore: number;

beforeAll(async () => {
  kubectlBinary = await preparedBinary('kubectl');
  stateDir = mkdtempSync(join(tmpdir(), 'millwright-stack-'));
});

afterAll(async () => {
  await stopStack(stateDir);
  rmSync(stateDir, { recursive: true, force: true });
});

function start(): Promise<Stack> {
  return startStack({ stateDir, operator: false, quiet: true });
}

function kubectl(...args: string[]): string {
  const { kubeconfig } = running();
  return execFileSync(kubectlBinary, [`--kubeconfig=${kubeconfig}`, ...args], { encoding: 'utf8' });
}

function running(): Stack {
  const stack = readStack(stateDir);
  if (stack === undefined) throw new Error('No stack is running');
  return stack;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  await eventually(() => `${what}. What runs: ${JSON.stringify(readStack(stateDir))}`, holds);
}

function answers(): boolean {
  try {
    return kubectl('get', '--raw', '/readyz') === 'ok';
  } catch (error) {
    if (isMissing(error)) throw error;
    return false;
  }
}

/** A program that cannot be run will not answer later either. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

describe('the local stack', () => {
  test('starts, and a component that is killed starts again under a new pid', async () => {
    const { components } = await start();
    for (const name of ['etcd', 'kube-apiserver', 'temporal', 'virtual-cloud']) {
      const before = components[name];
      if (before === undefined) throw new Error(`${name} does not run`);
      signalProcess(before, 'SIGKILL');
      await until(`${name} runs again`, () => {
        const after = running().components[name];
        return after !== undefined && after.pid !== before.pid && after.restarts > before.restarts;
      });
    }
    await until('the API server answers', answers);
    expect(kubectl('create', 'configmap', 'kept', '--from-literal=answer=42')).toContain('created');
  });

  test('a second start joins the one that runs', async () => {
    const stack = running();
    await expect(start()).resolves.toEqual(stack);
  });

  test('kill -9 of its supervisor leaves no process', async () => {
    const { components, supervisor, ports } = running();
    portBefore = ports.kubeApiserver;
    const all = [supervisor, ...Object.values(components)];
    expect(all.length).toBeGreaterThan(6);
    signalProcess(supervisor, 'SIGKILL');
    await until('everything is gone', () => !all.some(isAlive));
    expect(readStack(stateDir)).toBeUndefined();
  });

  test('starts again with what it held before, on the same ports', async () => {
    const { ports } = await start();
    expect(ports.kubeApiserver).toBe(portBefore);
    expect(kubectl('get', 'configmap', 'kept', '-o', 'jsonpath={.data.answer}')).toBe('42');
  });

  test('stops without leaving a process', async () => {
    const { components, supervisor } = running();
    await expect(stopStack(stateDir)).resolves.toBe(true);
    expect([supervisor, ...Object.values(components)].filter(isAlive)).toEqual([]);
    expect(readStack(stateDir)).toBeUndefined();
    await expect(stopStack(stateDir)).resolves.toBe(false);
  });
});
