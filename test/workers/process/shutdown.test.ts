import { EventEmitter, once } from 'node:events';
import { createShutdown } from '../../../workers/process/shutdown.ts';
import { logLines } from '../log/log-lines.ts';

/** A process that only notes its exit codes; `exited` resolves at the first one. */
function aProcess() {
  const host = new EventEmitter();
  const codes: number[] = [];
  const exited = once(host, 'exited');
  const exit = (code: number) => {
    codes.push(code);
    host.emit('exited');
  };
  return Object.assign(host, { exit, codes, exited });
}

function aShutdown({ graceSeconds = 0.2 } = {}) {
  const host = aProcess();
  const time = { milliseconds: 0 };
  const { log, lines } = logLines();
  const shutdown = createShutdown({ log, graceSeconds, host, clock: () => time.milliseconds });
  return { host, lines, shutdown, time };
}

test('parts stop one after the other, the last one first, and then the process ends well', async () => {
  const { host, shutdown } = aShutdown();
  const stopped: string[] = [];
  shutdown.add('connection', () => void stopped.push('connection'));
  shutdown.add('worker', async () => {
    await Promise.resolve();
    stopped.push('worker');
  });
  host.emit('SIGTERM');
  expect(shutdown.signal.aborted).toBe(true);
  await host.exited;
  expect(stopped).toEqual(['worker', 'connection']);
  expect(host.codes).toEqual([0]);
});

test('a part that fails to stop does not keep the others from it', async () => {
  const { host, shutdown, lines } = aShutdown();
  let stopped = false;
  shutdown.add('connection', () => void (stopped = true));
  shutdown.add('worker', () => Promise.reject(new Error('stuck')));
  host.emit('SIGINT');
  await host.exited;
  expect(stopped).toBe(true);
  expect(host.codes).toEqual([1]);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'failed to stop', part: 'worker' }));
});

test('parts that are too slow are left behind', async () => {
  const { host, shutdown, lines } = aShutdown({ graceSeconds: 0.01 });
  shutdown.add('connection', () => {});
  shutdown.add('worker', () => new Promise(() => {}));
  host.emit('SIGTERM');
  await host.exited;
  expect(host.codes).toEqual([1]);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'stopped too slowly', unfinished: ['connection', 'worker'] }),
  );
});

test('a second signal ends the process at once', async () => {
  const { host, shutdown, time } = aShutdown();
  shutdown.add('worker', () => new Promise(() => {}));
  host.emit('SIGINT');
  time.milliseconds = 1_000;
  host.emit('SIGINT');
  expect(host.codes).toEqual([1]);
});

test('a process that ends by itself goes on in order when it is asked to end', async () => {
  const { host, shutdown } = aShutdown();
  const drained = Promise.withResolvers<void>();
  shutdown.add('worker', () => drained.promise);
  shutdown.begin('tls.crt has changed');
  host.emit('SIGTERM');
  expect(host.codes).toEqual([]);
  drained.resolve();
  await host.exited;
  expect(host.codes).toEqual([0]);
});

test('one Ctrl-C that arrives by two ways is one signal', async () => {
  const { host, shutdown, time } = aShutdown();
  shutdown.add('worker', () => Promise.resolve());
  host.emit('SIGINT');
  time.milliseconds = 5;
  host.emit('SIGINT');
  await host.exited;
  expect(host.codes).toEqual([0]);
});

test.each(['uncaughtException', 'unhandledRejection'])(
  '%s is logged and ends the process',
  (event) => {
    const { host, lines } = aShutdown();
    host.emit(event, new Error('bug'));
    expect(host.codes).toEqual([1]);
    expect(lines).toMatchObject([{ msg: 'crashed', level: 60, err: { message: 'bug' } }]);
  },
);

test('work that ends by itself ends the process with its exit code', async () => {
  const { host, shutdown } = aShutdown();
  shutdown.begin('the Lease was lost', 1);
  shutdown.begin('again', 0);
  await host.exited;
  expect(host.codes).toEqual([1]);
});

test('a wait that is cut short by the end is no crash', async () => {
  const { host, shutdown, lines } = aShutdown();
  shutdown.add('http', () => Promise.resolve());
  host.emit('SIGTERM');
  host.emit('unhandledRejection', shutdown.signal.reason);
  await host.exited;
  expect(host.codes).toEqual([0]);
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
});

test('a call that is repeated on a closed connection is a crash only before the end', async () => {
  const closed = new Error('Channel has been shut down');
  const running = aShutdown();
  running.host.emit('uncaughtException', closed);
  expect(running.host.codes).toEqual([1]);
  const { host } = aShutdown();
  host.emit('SIGTERM');
  host.emit('uncaughtException', closed);
  await host.exited;
  expect(host.codes).toEqual([0]);
});
