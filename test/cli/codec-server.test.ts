/** What the Temporal UI and the command `temporal` ask of a codec server, and who may ask. */
import type { Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../support/command-line.ts';
import { startCodecServer } from '../../cli/codec-server/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'codec-server-'));
const payloadKeys = join(folder, 'keys');
const tokenFile = join(folder, 'token');
const token = 'a-token-that-is-long-enough';
const ui = 'https://temporal.example';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const plain = { metadata: { encoding: base64('json/plain') }, data: base64('"pool-a"') };
const body = (...payloads: object[]): string => JSON.stringify({ payloads });

const open: { server: Server; url: string }[] = [];
let url = '';

beforeAll(async () => {
  writeFileSync(payloadKeys, `a ${Buffer.alloc(32, 1).toString('base64')}\n`);
  writeFileSync(tokenFile, `${token}\n`);
  url = await start({});
});
afterAll(() => {
  for (const { server } of open) server.close();
  rmSync(folder, { recursive: true });
});

async function start(more: { tokenFile?: string }): Promise<string> {
  const started = await startCodecServer({
    payloadKeys,
    address: '127.0.0.1',
    port: 0,
    origins: [ui],
    tokenFile: more.tokenFile,
  });
  open.push(started);
  return started.url;
}

async function post(path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(`${url}${path}`, { method: 'POST', body: body(plain), ...init });
}

describe('the codec server', () => {
  test('encodes, and decodes to the same', async () => {
    const encoded = await (await post('/encode')).text();
    expect(encoded).not.toContain(plain.data);
    const answer = await post('/decode', { body: encoded });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({ payloads: [plain] });
  });

  test('hands on what is plain', async () => {
    expect(await (await post('/decode')).json()).toEqual({ payloads: [plain] });
  });

  test('names the key that it lacks', async () => {
    const metadata = { encoding: base64('binary/encrypted'), 'encryption-key-id': base64('old') };
    const answer = await post('/decode', { body: body({ metadata, data: '' }) });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('encrypted with the key "old"');
  });

  test.each([
    ['no JSON', 'x', 'the body must be JSON'],
    ['no list', '{}', 'payloads: must be a list'],
    ['a payload that is none', body({ data: 1 }), 'payloads[0].data: must be a text in base64'],
  ])('refuses %s with what is wrong', async (_what, text, message) => {
    const answer = await post('/decode', { body: text });
    expect([answer.status, await answer.text()]).toEqual([400, message]);
  });

  test('has nothing else', async () => {
    expect((await post('/keys')).status).toBe(404);
    expect((await fetch(`${url}/decode`)).status).toBe(405);
  });
});

describe('pages', () => {
  test('of the UI may ask, and may ask whether they may', async () => {
    const headers = { origin: ui };
    const before = await post('/decode', { method: 'OPTIONS', body: null, headers });
    expect(before.status).toBe(204);
    expect(before.headers.get('access-control-allow-headers')).toContain('x-namespace');
    const answer = await post('/decode', { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ui);
  });

  test('of another origin may not', async () => {
    const answer = await post('/decode', { headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await answer.text()).not.toContain(plain.data);
  });
});

test('where there is a token, every request has to bring it', async () => {
  const guarded = await start({ tokenFile });
  const ask = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${guarded}/decode`, { method: 'POST', body: body(plain), headers })).status;
  expect(await ask({})).toBe(401);
  expect(await ask({ authorization: 'Bearer another' })).toBe(401);
  expect(await ask({ authorization: `Bearer ${token}` })).toBe(200);
});

const key = (id: string, byte: number): string =>
  `${id} ${Buffer.alloc(32, byte).toString('base64')}\n`;

test('a key that is exchanged counts at once, and a file that cannot be read changes nothing', async () => {
  const keys = join(folder, 'exchanged');
  writeFileSync(keys, key('first', 1));
  const started = await startCodecServer({
    payloadKeys: keys,
    address: '127.0.0.1',
    port: 0,
    origins: [],
    tokenFile: undefined,
  });
  open.push(started);
  const ask = async (path: string, text: string): Promise<string> =>
    await (await fetch(`${started.url}${path}`, { method: 'POST', body: text })).text();
  const ofFirst = await ask('/encode', body(plain));
  expect(ofFirst).toContain(base64('first'));
  writeFileSync(keys, key('second', 2) + key('first', 1));
  const ofSecond = await ask('/encode', body(plain));
  expect(ofSecond).toContain(base64('second'));
  expect(JSON.parse(await ask('/decode', ofFirst))).toEqual({ payloads: [plain] });
  writeFileSync(keys, 'second AAAA\n');
  expect(JSON.parse(await ask('/decode', ofSecond))).toEqual({ payloads: [plain] });
});

const read = (...more: string[]) => readArguments(['codec-server', '--payload-keys=keys', ...more]);

describe('the command line', () => {
  test('has defaults that others cannot reach', () => {
    expect(read()).toMatchObject({ address: '127.0.0.1', port: 8234, origins: [] });
  });

  test.each([
    ['another address without a token', ['--address=0.0.0.0'], '--token-file is missing'],
    ['an origin with a path', ['--allow-origin=https://a.example/ui'], 'Allowed: the origin'],
    ['every origin', ['--allow-origin=*'], 'Allowed: the origin'],
    ['a name as address', ['--address=localhost'], 'Allowed: an IP address'],
    ['a port that is none', ['--port=70000'], 'Allowed: whole numbers from 0 to 65535'],
  ])('refuses %s', (_what, more, message) => {
    expect(() => read(...more)).toThrow(message);
  });
});
