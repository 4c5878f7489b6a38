import { fakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Component } from '../../../deploy/local/components/component.ts';
import { lackOfRoom, stateOf } from '../../../deploy/local/room.ts';
import { Supervised } from '../../../deploy/local/supervision/supervised.ts';

let clock: FakeClock;
beforeEach(() => {
  clock = fakeClock({ toFake: ['Date'] });
});
afterEach(() => clock.uninstall());

test('the report of a component that ends on a full disk names the disk, not what it printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millwright-supervised-'));
  const script = `console.error('panic: goroutine 1'); process.exit(2)`;
  const { promise, resolve } = Promise.withResolvers<string>();
  const supervised = new Supervised(
    {
      name: 'etcd',
      needs: [],
      ports: [],
      command: async () => ({ file: process.execPath, args: ['-e', script] }),
      isReady: async () => false,
    },
    {
      logFile: join(folder, 'a.log'),
      untilNeedsReady: async () => undefined,
      onProcess: () => undefined,
      onReady: () => undefined,
      report: resolve,
      lackOfRoom: () => lackOfRoom(stateOf(folder), Infinity),
      giveUp: () => undefined,
    },
  );
  supervised.start();
  const reported = await promise;
  await supervised.stop(0);
  expect(reported).toMatch(
    /^etcd ended with code 2, no space left: the disk of \S+ has \d+ MiB free: free some, or name another folder with --state-dir$/,
  );
});

test('a component whose port another program keeps is given up, and not tried for ever', async () => {
  const component: Component = {
    name: 'kube-apiserver',
    needs: [],
    ports: [],
    // As the wait for a port does.
    command: async () => {
      clock.setSystemTime(Date.now() + 30_000);
      throw new Error('Port 6443 is still taken after 30 s');
    },
  };
  const { promise, resolve } = Promise.withResolvers<Error>();
  const supervised = new Supervised(component, {
    logFile: join(mkdtempSync(join(tmpdir(), 'millwright-supervised-')), 'a.log'),
    untilNeedsReady: async () => undefined,
    onProcess: () => undefined,
    onReady: () => undefined,
    report: () => undefined,
    lackOfRoom: () => undefined,
    giveUp: resolve,
  });
  supervised.start();
  const error = await promise;
  await supervised.stop(0);
  expect(error.message).toBe(
    'kube-apiserver died 5 times in a row: could not be started: Port 6443 is still taken after 30 s',
  );
});
