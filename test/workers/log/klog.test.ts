/** Lines for the parser that Gardener configures for MCM's logs. */
import { createLogger, type Logger } from '../../../workers/log/logger.ts';

/**
 * As gardenlet gives it to fluent-bit for containers `machine-controller-manager*`, Gardener v1.150
 * (pkg/component/nodemanagement/machinecontrollermanager/logging.go); it has `%m%d %H:%M:%S.%L` for
 * the time.
 */
const parser =
  /^(?<severity>\w)(?<time>\d{4} [^\s]*)\s+(?<pid>\d+)\s+(?<source>[^ \]]+)\] (?<log>.*)$/;
/** The stricter one of earlier releases. */
const earlierParser =
  /^(?<severity>\w)(?<time>\d{4} \d\d:\d\d:\d\d.\d+)\s+(?<pid>\d+)\s+(?<source>[^ \]]+)\] (?<log>.*)$/;

function written(write: (log: Logger) => void): string[] {
  const lines: string[] = [];
  const log = createLogger({
    component: 'watcher',
    level: 'trace',
    format: 'klog',
    output: { write: (line: string) => void lines.push(line) },
  });
  write(log);
  return lines;
}

function parsed(write: (log: Logger) => void): Record<string, string> {
  const [line = '', ...others] = written(write);
  expect(others).toEqual([]);
  expect(line.match(/[\n\r\u2028\u2029]/g)).toEqual(['\n']);
  expect(earlierParser.test(line.trimEnd())).toBe(true);
  return { ...parser.exec(line.trimEnd())?.groups };
}

test('a line has severity, time, process, source and what happened', () => {
  const { time = '', ...rest } = parsed((log) =>
    log.info({ namespace: 'shoot', epoch: 7, held: true, list: ['a b'] }, 'leading'),
  );
  expect(rest).toEqual({
    severity: 'I',
    pid: String(process.pid),
    source: 'watcher',
    log: 'leading namespace="shoot" epoch=7 held=true list=["a b"]',
  });
  const now = new Date().toISOString();
  expect(time).toMatch(/^\d{4} \d\d:\d\d:\d\d\.\d{6}$/);
  expect(time.slice(0, 4)).toBe(now.slice(5, 7) + now.slice(8, 10));
});

test.each(['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)(
  'a line of level %s has its letter',
  (level) => {
    const letters = { trace: 'I', debug: 'I', info: 'I', warn: 'W', error: 'E', fatal: 'F' };
    expect(parsed((log) => log[level]('x'))).toMatchObject({ severity: letters[level], log: 'x' });
  },
);

test('an error has its causes and its stack in the same line, a warning its causes', () => {
  const err = new TypeError('cannot list', { cause: new Error('connection\nreset') });
  const { log: error = '' } = parsed((log) => log.error({ err }, 'failed'));
  expect(error).toMatch(
    /^failed err="TypeError: cannot list: Error: connection\\nreset" errStack="TypeError: cannot list\\n {4}at .*"$/,
  );
  const { log: warning } = parsed((log) => log.warn({ err }, 'failed'));
  expect(warning).toBe('failed err="TypeError: cannot list: Error: connection\\nreset"');
});

test.each([
  { name: 'several lines', msg: 'one\ntwo\r\n\tthree', log: String.raw`one\ntwo\r\n\tthree` },
  { name: 'separators of lines', msg: 'a\u2028b\u2029c', log: String.raw`a\u2028b\u2029c` },
  { name: 'what looks like a header', msg: 'I0101 x] y', log: 'I0101 x] y' },
  { name: 'other letters', msg: 'Größe "ß" \\ 机器', log: 'Größe "ß" \\ 机器' },
])('a message with $name stays in one line', ({ msg, log: expected }) => {
  expect(parsed((log) => log.info(msg))).toMatchObject({ log: expected });
});

test('fields and nested errors stay in one line', () => {
  const nested = { deep: { err: new Error('x\ny'), text: 'a\u2028\nb' }, secret: 's' };
  const { log: text = '' } = parsed((log) => log.info({ nested, none: null }, 'odd'));
  expect(text).toContain('"secret":"[redacted]"');
  expect(text).toContain(String.raw`a\u2028\nb`);
  expect(text).toContain('none=null');
});

test('a line without a message, or of the SDK with its own fields, is read as well', () => {
  expect(parsed((log) => log.info({ sdkComponent: 'core', level: 3, time: 5 }, ''))).toHaveProperty(
    'severity',
  );
});
