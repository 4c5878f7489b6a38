import { createServer, type Server } from 'node:net';
import {
  choosePorts,
  host,
  localPorts,
  untilFree,
} from '../../../deploy/local/supervision/ports.ts';

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null)
    throw new Error('The server does not listen');
  return address.port;
}

/** A machine on which only these ports are taken; free ones are handed out from 50000 on. */
function machineWith(taken: number[]): Parameters<typeof choosePorts>[1] {
  let next = 50_000;
  return {
    isFree: (port) => Promise.resolve(!taken.includes(port)),
    anyFree: () => Promise.resolve(next++),
  };
}

describe('the ports of a stack', () => {
  test('are the well-known ones on an idle machine', async () => {
    const { ports, taken } = await choosePorts({}, machineWith([]));
    expect(ports).toMatchObject({ kubeApiserver: 6443, temporal: 7233, temporalUi: 8233 });
    expect(taken).toEqual([]);
  });

  test('are all different', async () => {
    const { ports } = await choosePorts({ scheduler: 6443 }, machineWith([]));
    expect(new Set(Object.values(ports)).size).toBe(Object.keys(ports).length);
  });

  test('are those of the last run before the well-known ones', async () => {
    const { ports, taken } = await choosePorts({ temporal: 41_000 }, machineWith([]));
    expect(ports.temporal).toBe(41_000);
    expect(taken).toEqual([]);
  });

  test('are others, and it is said, when another program has the wished ones', async () => {
    const { ports, taken } = await choosePorts({}, machineWith([6443]));
    expect(ports.kubeApiserver).toBeGreaterThanOrEqual(50_000);
    expect(taken).toEqual([{ name: 'kubeApiserver', port: 6443 }]);
  });

  test('a free one is never of the range for outgoing connections', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => localPorts.anyFree()));
    expect(Math.max(...ports)).toBeLessThan(32_768);
    expect(Math.min(...ports)).toBeGreaterThan(16_383);
  });

  test('a port that is listened on is not free, and is free once the listener is gone', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, host, done));
    const port = portOf(server);
    await expect(localPorts.isFree(port)).resolves.toBe(false);
    server.close();
    await untilFree([port], new AbortController().signal);
    await expect(localPorts.isFree(port)).resolves.toBe(true);
  });
});
