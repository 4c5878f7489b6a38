/** The process: kill -9, start again, end in order. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { caller, temporaryFolder, type CallResult } from './a-cloud.ts';

const entrance = join(import.meta.dirname, '../../../deploy/local/virtual-cloud/main.ts');

let folder = '';
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  if (child !== undefined) await end('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Resolves with the URL that it says it listens at. */
async function start(): Promise<string> {
  const args = [entrance, '--listen', '127.0.0.1:0', '--data', folder];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const url = /http:\/\/[^,\s]+/.exec(output)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`the virtual cloud ended: ${output}`);
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  const running = child;
  child = undefined;
  if (!running) throw new Error('nothing runs');
  const exited = once(running, 'exit');
  running.kill(signal);
  await exited;
  return running.exitCode;
}

async function snapshot(url: string): Promise<CallResult['body'][]> {
  const call = caller(url);
  const paths = ['/instances?deleted=true', '/settings', '/faults'];
  const answers = await Promise.all(paths.map((path) => call('GET', path)));
  return answers.map(({ body }) => body);
}

test('kill -9 loses nothing, not even with half a line at the end', async () => {
  const first = await start();
  const call = caller(first);
  await call('PUT', '/settings', { callMilliseconds: 1, bootSeconds: 30 });
  await call('PUT', '/faults', [{ kind: 'loseAnswer', match: 'lost', times: 1 }]);
  await call('POST', '/instances', { name: 'kept', token: 't1' });
  await expect(call('POST', '/instances', { name: 'lost', token: 't2' })).rejects.toThrow(
    'fetch failed',
  );
  const before = await snapshot(first);
  const { body: calls } = await call('GET', '/calls?match=*t');
  await end('SIGKILL');
  appendFileSync(join(folder, 'journal.jsonl'), '{"seq":');

  const second = await start();
  expect(await snapshot(second)).toEqual(before);
  expect((await caller(second)('GET', '/calls?match=*t')).body).toEqual(calls);
  const again = await caller(second)('POST', '/instances', { name: 'lost', token: 't2' });
  expect(again).toMatchObject({ status: 200, body: { known: true } });
});

test('a kill between the deed and the answer is an answer that was lost', async () => {
  const call = caller(await start());
  await call('PUT', '/settings', { callMilliseconds: 10_000 });
  const answer = call('POST', '/instances', { name: 'm', token: 't' }).catch(String);
  await eventually('it is made', async () => {
    return (await call('GET', '/healthz')).body['instances'] === 1;
  });
  await end('SIGKILL');
  expect(await answer).toContain('fetch failed');
  const second = caller(await start());
  await second('PUT', '/settings', { callMilliseconds: 0 });
  expect((await second('POST', '/instances', { name: 'm', token: 't' })).body['known']).toBe(true);
  expect((await second('GET', '/calls')).body).toMatchObject({
    createsPerName: { m: 1 },
    machinesPerToken: { max: 1 },
  });
});

test('SIGTERM ends the virtual cloud in order', async () => {
  await start();
  expect(await end('SIGTERM')).toBe(0);
});

test('a wrong flag of the virtual cloud is one line and exit code 1', async () => {
  const running = spawn(process.execPath, [entrance, '--data', folder, '--listen', 'x']);
  const chunks: string[] = [];
  running.stderr.on('data', (chunk) => chunks.push(String(chunk)));
  await once(running, 'close');
  expect(chunks.join('')).toBe('--listen: "x" is not HOST:PORT, e.g. 127.0.0.1:7080\n');
  expect(running.exitCode).toBe(1);
});
