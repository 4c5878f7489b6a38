import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { withoutSecrets } from '../../activities/redaction/fields.ts';
import { secretValues } from '../../activities/redaction/secret-values.ts';

export type { Logger } from 'pino';

export interface LogSettings {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  format: 'auto' | 'json' | 'text' | 'klog';
}

export interface LogOutput extends DestinationStream {
  isTTY?: boolean;
}

export interface LoggerOptions extends LogSettings {
  /** Process that writes: `worker` or `watcher`. */
  component: string;
  /** Default the standard output. */
  output?: LogOutput;
  /** Called with each logger that is made of this one. */
  onChild?: (child: Logger) => void;
}

/** Transforms of a line of pino's JSON. */
const rewriters: Readonly<
  Record<Exclude<LogSettings['format'], 'auto'>, ((json: string) => string) | undefined>
> = {
  json: undefined,
  text: lineForPeople,
  klog: (json) => lineOfKlog(json, process.pid),
};

/** One line per entry, written at once, so that the last words of a crash are not lost. */
export function createLogger(options: LoggerOptions): Logger {
  const { component, level, format, output, onChild } = options;
  const byDefault = (output ?? process.stdout).isTTY ? 'text' : 'json';
  const rewrite = rewriters[format === 'auto' ? byDefault : format];
  const lines = output ?? pino.destination({ fd: 1, sync: true });
  return pino(
    {
      level,
      base: { component },
      formatters: { log: (fields) => withoutSecrets(fields) },
      // withoutSecrets has made errors plain already; pino's own serializer would lose their types
      // and causes.
      serializers: { err: (err: unknown) => err },
      hooks: {
        logMethod([first, message, ...more], method) {
          const text = message === undefined ? undefined : secretValues.hide(message);
          const begin = typeof first === 'string' ? secretValues.hide(first) : first;
          method.call(this, begin, text, ...more);
        },
      },
      ...(onChild && { onChild }),
    },
    rewrite ? { write: (line: string) => void lines.write(rewrite(line)) } : lines,
  );
}

interface Line {
  level: number;
  time: number;
  msg?: string;
  component?: string;
  err?: PlainError;
}

interface PlainError {
  type?: string;
  message?: string;
  stack?: string;
  cause?: unknown;
}

/** Letters of klog, which has neither debug nor trace. */
const severities: Readonly<Record<number, string>> = { 40: 'W', 50: 'E', 60: 'F' };

/**
 * A line as klog writes it, which the parser that Gardener brings for MCM takes apart:
 * `I0825 10:00:00.123000       7 watcher] leading namespace="shoot" epoch=7`.
 *
 * @param pid Of the process.
 */
function lineOfKlog(json: string, pid: number): string {
  const { level, time, msg = '', component = '-', ...fields }: Line = JSON.parse(json);
  const isError = level >= 50;
  const pairs = Object.entries(fields).flatMap(([name, value]) => pairsOf(name, value, isError));
  const header = `${severities[level] ?? 'I'}${clockOf(time)} ${String(pid).padStart(7)} ${component}]`;
  return `${[header, inOneLine(msg), ...pairs].filter((part) => part !== '').join(' ')}\n`;
}

/** Month and day, and microseconds, in UTC, as in a container. */
function clockOf(time: number): string {
  const iso = new Date(time).toISOString();
  return `${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`;
}

function pairsOf(name: string, value: unknown, withStack: boolean): string[] {
  if (!isPlainError(value)) return [`${name}=${written(value)}`];
  const { stack = '' } = value;
  const pair = `${name}=${written(wordsOf(value))}`;
  return withStack && stack !== '' ? [pair, `${name}Stack=${written(stack)}`] : [pair];
}

/** With what caused it: the last part usually says what is wrong. */
function wordsOf({ type, message, cause }: PlainError): string {
  const words = `${type}: ${message}`;
  return isPlainError(cause) ? `${words}: ${wordsOf(cause)}` : words;
}

/** JSON has no line breaks. */
function written(value: unknown): string {
  return separatorsEscaped(JSON.stringify(value) ?? 'null');
}

/** Quotes and backslashes are printed as they are, line breaks and the like are not. */
function inOneLine(text: string): string {
  return separatorsEscaped(
    text.replaceAll(/\p{Cc}/gu, (char) => {
      const escaped = JSON.stringify(char).slice(1, -1);
      return escaped === char ? '' : escaped;
    }),
  );
}

/** Some readers end a line at these. */
function separatorsEscaped(text: string): string {
  return text.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);
}

function isPlainError(value: unknown): value is PlainError {
  return typeof value === 'object' && value !== null && 'type' in value && 'stack' in value;
}

const levels: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/**
 * A line for people: `12:00:00.000 INFO  machine is running  machine=web-0 seconds=2`. A crash is
 * followed by its stack.
 */
function lineForPeople(json: string): string {
  const { level, time, msg = '', component = '', ...fields }: Line = JSON.parse(json);
  const clock = new Date(time).toISOString().slice(11, 23);
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const stack = level >= 60 ? (fields.err?.stack ?? '').split('\n').slice(1).join('\n') : '';
  const words = [clock, (levels[level] ?? 'INFO').padEnd(5), component, msg, ...parts];
  const line = words.filter((word) => word !== '').join(' ');
  // The words of clouds and users must not clear the screen on which they are read.
  return `${line.replaceAll(/\p{Cc}/gu, ' ')}\n${stack === '' ? '' : `${stack}\n`}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (isPlainError(value)) return JSON.stringify(`${value.type}: ${value.message}`);
  return JSON.stringify(value);
}
