import { setEnvironment } from '../../support/environment.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layoutOf } from '../../../deploy/local/layout.ts';
import { identityOf, isAlive, startedByPs } from '../../../deploy/local/supervision/identity.ts';
import { lockHolder, tryLock } from '../../../deploy/local/supervision/lock.ts';
import type { Ports } from '../../../deploy/local/supervision/ports.ts';
import {
  killLeftovers,
  readRunningStack,
  readStackFile,
  writeStackFile,
  type Stack,
} from '../../../deploy/local/supervision/stack-file.ts';

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'millwright-state-'));
}

function ownIdentity(): { pid: number; started: string } {
  const identity = identityOf(process.pid);
  if (identity === undefined) throw new Error('this process has no identity');
  return identity;
}

const somePorts: Ports = {
  kubeApiserver: 1,
  temporal: 2,
  temporalUi: 3,
  temporalHttp: 4,
  temporalMetrics: 5,
  etcdClient: 6,
  etcdPeer: 7,
  controllerManager: 8,
  scheduler: 9,
  virtualCloud: 11,
  watcher: 12,
  worker: 13,
  secondWatcher: 14,
  secondWorker: 15,
  thirdWorker: 24,
  fourthWorker: 25,
  temporalHistory: 16,
  temporalMatching: 17,
  temporalInternalWorker: 18,
  temporalFrontendMembership: 19,
  temporalHistoryMembership: 20,
  temporalMatchingMembership: 21,
  temporalInternalWorkerMembership: 22,
  postgresql: 23,
  temporalPprof: 26,
  clusterAutoscaler: 27,
  prometheus: 28,
  front: 29,
};

function aStack(stateDir: string, changes: Partial<Stack> = {}): Stack {
  return {
    state: 'running',
    stateDir,
    kubeconfig: join(stateDir, 'kubeconfig'),
    namespace: 'default',
    environment: {},
    ports: somePorts,
    supervisor: ownIdentity(),
    components: {},
    ...changes,
  };
}

describe('the identity of a process', () => {
  test('a later process with the same pid is another one', () => {
    const { pid } = ownIdentity();
    expect(isAlive(ownIdentity())).toBe(true);
    expect(isAlive({ pid, started: 'at another time' })).toBe(false);
  });

  test('an ended process is not alive', async () => {
    const child = spawn('sleep', ['60']);
    const identity = identityOf(child.pid ?? 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(identity === undefined || isAlive(identity)).toBe(false);
  });
});

function startedIn(zone: string): string | undefined {
  const restore = setEnvironment({ TZ: zone });
  try {
    return startedByPs(process.pid);
  } finally {
    restore();
  }
}

test('where ps says when a process started, it says the same in every time zone', () => {
  const there = startedIn('Asia/Tokyo');
  const here = startedIn('America/New_York');
  expect(here).toBe(there);
  expect(here).toContain(':');
});

describe('stack.json', () => {
  test('comes back as it was written, and no partial file stays', () => {
    const stateDir = temporaryFolder();
    writeStackFile(layoutOf(stateDir), aStack(stateDir));
    expect(readRunningStack(layoutOf(stateDir))).toEqual(aStack(stateDir));
    expect(readdirSync(stateDir)).toEqual(['stack.json']);
  });

  test('of a supervisor that is gone tells of no running stack', () => {
    const stateDir = temporaryFolder();
    const supervisor = { ...ownIdentity(), started: 'before the reboot' };
    writeStackFile(layoutOf(stateDir), aStack(stateDir, { supervisor }));
    expect(readRunningStack(layoutOf(stateDir))).toBeUndefined();
  });

  test('stack.json that cannot be read is an error that names the file and the way out', () => {
    const layout = layoutOf(temporaryFolder());
    writeFileSync(layout.stackFile, '{');
    expect(() => readStackFile(layout)).toThrow(/stack\.json: .*Remove it and start again/);
  });

  test('helps to kill what was left behind, and nobody who got its pid', async () => {
    const stateDir = temporaryFolder();
    const child = spawn('sleep', ['60']);
    const identity = identityOf(child.pid ?? 0);
    if (identity === undefined) throw new Error('no child');
    const rest = { address: '', log: '', restarts: 0 };
    const stranger = { ...ownIdentity(), started: 'before', ...rest };
    const components = { etcd: { ...identity, ...rest }, temporal: stranger };
    writeStackFile(layoutOf(stateDir), aStack(stateDir, { components }));
    expect(killLeftovers(layoutOf(stateDir))).toBe(1);
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  });
});

describe('a lock', () => {
  test('is held by one only, and free after its release', () => {
    const file = join(temporaryFolder(), 'lock');
    const first = tryLock(file);
    expect(first.taken).toBe(true);
    expect(tryLock(file)).toEqual({ taken: false, holder: ownIdentity() });
    if (first.taken) first.release();
    expect(tryLock(file).taken).toBe(true);
  });

  test('of a dead holder is taken over', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'lock');
    writeFileSync(file, JSON.stringify({ ...ownIdentity(), started: 'long ago' }));
    expect(tryLock(file).taken).toBe(true);
    expect(lockHolder(file)).toEqual(ownIdentity());
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test.each(['', '{"pid": 12', '\0\0'])(
    'that a power failure has cut to %j is taken over',
    (content) => {
      const file = join(temporaryFolder(), 'lock');
      writeFileSync(file, content);
      expect(lockHolder(file)).toBeUndefined();
      expect(tryLock(file).taken).toBe(true);
      expect(lockHolder(file)).toEqual(ownIdentity());
    },
  );
});
