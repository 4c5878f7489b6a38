/**
 * Log lines as klog writes them, which the parser that Gardener brings for MCM takes apart:
 * `I0825 10:00:00.123000       7 watcher] leading namespace="shoot" epoch=7`. One line each.
 */

/** Letters of klog, which has neither debug nor trace. */
const severities: Readonly<Record<number, string>> = { 40: 'W', 50: 'E', 60: 'F' };

interface Line {
  level: number;
  time: number;
  msg?: string;
  component?: string;
}

interface PlainError {
  type?: string;
  message?: string;
  stack?: string;
  cause?: unknown;
}

/** @param pid Of the process. */
export function lineOfKlog(json: string, pid: number): string {
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
