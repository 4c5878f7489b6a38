import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const start = new URL('../../../workers/process/process.ts', import.meta.url).href;
const folder = fileURLToPath(new URL('../../..', import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a process whose work is `main`, which has `process` at hand. */
function run(main: string, argv: string[]): Promise<Ended> {
  const script = `import { start } from '${start}'; await start('worker', async (process) => {${main}});`;
  // Node leaves the name of the program out when the script is evaluated.
  const argvOfNode = ['--input-type=module', '--eval', script, '--', 'program', ...argv];
  const options = { cwd: folder, env: { PATH: process.env['PATH'] } };
  return new Promise((resolve) => {
    execFile(process.execPath, argvOfNode, options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

function linesOf({ stdout }: Ended): unknown[] {
  const lines = stdout.trim().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

test('help goes to the standard output', async () => {
  const { code, stdout } = await run('', ['--help']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^millwright worker: /),
  });
});

test('faults go to the standard error, with exit code 2', async () => {
  const { code, stdout, stderr } = await run('', ['--port=80a', '--nonsense']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^The worker cannot start:\n {2}- --nonsense .*\n {2}- --port: "80a" .*\n$/,
  );
});

test('a flag without effect gives one line that says so', async () => {
  const argv = ['--profiling', '--min-resync-period=1h', '--profiling=false'];
  const ended = await run(`process.shutdown.begin('enough')`, argv);
  expect(ended.code).toBe(0);
  expect(linesOf(ended)).toMatchObject([
    { msg: 'flag without effect', flag: '--min-resync-period' },
    { msg: 'flag without effect', flag: '--profiling' },
    { msg: 'stopping', reason: 'enough' },
    { msg: 'ended' },
  ]);
});

test('a start that fails is logged and has exit code 1', async () => {
  const ended = await run(`throw new Error('no such cluster')`, []);
  expect(ended.code).toBe(1);
  expect(linesOf(ended)[0]).toMatchObject({
    msg: 'cannot start',
    err: { message: 'no such cluster' },
  });
});

test('SIGTERM during the start ends in order with exit code 0', async () => {
  const main = `
    await process.openHttp({ whyNotReady: () => 'starting' });
    setImmediate(() => globalThis.process.kill(globalThis.process.pid, 'SIGTERM'));
    await new Promise((_, reject) => process.shutdown.signal.addEventListener('abort', () => reject(process.shutdown.signal.reason)));`;
  const ended = await run(main, ['--port=0', '--address=127.0.0.1']);
  expect(ended.code).toBe(0);
  expect(linesOf(ended)).toMatchObject([
    { msg: expect.stringMatching(/^serving/) },
    { msg: 'stopping', reason: 'SIGTERM' },
    { msg: 'ended' },
  ]);
});

test('SIGUSR2 changes the log level and says so', async () => {
  const main = `
    const kill = () => globalThis.process.kill(globalThis.process.pid, 'SIGUSR2');
    const until = (level) => new Promise((resolve) => {
      const look = () => (process.log.level === level ? resolve() : setImmediate(look));
      look();
    });
    process.log.debug('too little');
    kill();
    await until('debug');
    process.log.debug('seen');
    kill();
    await until('info');
    process.shutdown.begin('enough');`;
  const ended = await run(main, []);
  expect(ended.code).toBe(0);
  expect(linesOf(ended)).toMatchObject([
    { msg: 'another log level', from: 'info', to: 'debug', signal: 'SIGUSR2' },
    { msg: 'seen' },
    { msg: 'another log level', from: 'debug', to: 'info' },
    { msg: 'stopping' },
    { msg: 'ended' },
  ]);
});
