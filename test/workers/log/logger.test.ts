import { createLogger, type LoggerOptions } from '../../../workers/log/logger.ts';
import { logLines } from './log-lines.ts';

function writtenBy(options: Partial<LoggerOptions> & { isTTY?: boolean }): string {
  const { isTTY = false, ...given } = options;
  let text = '';
  const output = { isTTY, write: (line: string) => void (text += line) };
  const log = createLogger({
    component: 'worker',
    level: 'info',
    format: 'auto',
    output,
    ...given,
  });
  log.debug('too little');
  log.info({ machine: 'web-0', after: 'a while' }, 'machine is running');
  return text;
}

test('a log line is JSON where the output is no terminal', () => {
  expect(JSON.parse(writtenBy({}))).toMatchObject({
    component: 'worker',
    machine: 'web-0',
    msg: 'machine is running',
  });
});

test('a log line is text on a terminal', () => {
  expect(writtenBy({ isTTY: true })).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}worker machine is running machine=web-0 after="a while"\n$/,
  );
});

test('a log line has the format that the flag names', () => {
  expect(writtenBy({ isTTY: true, format: 'json' })).toMatch(/^\{/);
  expect(writtenBy({ format: 'text' })).toMatch(/^\d/);
});

test('no text of others gives orders to a terminal', () => {
  let text = '';
  const output = { write: (line: string) => void (text += line) };
  const log = createLogger({ component: 'worker', level: 'info', format: 'text', output });
  const order = '\u001B]0;x\u0007\u009B2J';
  log.warn({ reason: order, words: `${order} x`, err: new Error(order) }, `said ${order}`);
  // oxlint-disable-next-line no-control-regex
  expect(text.trimEnd()).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
});

test('a crash is followed by its stack, an error is not', () => {
  let text = '';
  const output = { write: (line: string) => void (text += line) };
  const log = createLogger({ component: 'worker', level: 'info', format: 'text', output });
  log.error({ err: new TypeError('bad') }, 'failed');
  expect(text).toMatch(/ERROR worker failed err="TypeError: bad"\n$/);
  log.fatal({ err: new TypeError('worse') }, 'crashed');
  expect(text).toMatch(/FATAL worker crashed err="TypeError: worse"\n {4}at .*\n/);
});

test('secrets are never written, references are', () => {
  const { log, lines } = logLines();
  log.info(
    {
      secretRef: { name: 'cloud' },
      userData: 'a',
      request: { headers: { Authorization: 'b' }, 'token-secret': 'c', tags: [{ API_KEY: 'd' }] },
      err: Object.assign(new Error('refused'), { password: 'e' }),
    },
    'create',
  );
  expect(lines[0]).toMatchObject({
    secretRef: { name: 'cloud' },
    userData: '[redacted]',
    request: {
      headers: { Authorization: '[redacted]' },
      'token-secret': '[redacted]',
      tags: [{ API_KEY: '[redacted]' }],
    },
    err: { message: 'refused', password: '[redacted]' },
  });
});

test('whatever is logged can be written', () => {
  const { log, lines } = logLines();
  const loop: Record<string, unknown> = { big: 1n, bytes: new Uint8Array(3), at: new Date(0) };
  loop['self'] = loop;
  log.info(loop, 'odd');
  log.info({ err: new Error('outer', { cause: new Error('inner') }) }, 'nested');
  expect(lines).toMatchObject([
    { big: '1', bytes: '[3 bytes]', at: '1970-01-01T00:00:00.000Z' },
    { err: { message: 'outer', cause: { message: 'inner' } } },
  ]);
});
