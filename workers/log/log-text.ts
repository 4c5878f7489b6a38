/** Log lines for people: `12:00:00.000 INFO  machine is running  machine=web-0 seconds=2`. */

const levels: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

interface Line {
  level: number;
  time: number;
  msg?: string;
  component?: string;
  err?: { type?: string; message?: string; stack?: string };
}

/** One line of pino's JSON as one line of text. A crash is followed by its stack. */
export function lineForPeople(json: string): string {
  const { level, time, msg = '', component = '', ...fields }: Line = JSON.parse(json);
  const clock = new Date(time).toISOString().slice(11, 23);
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const stack = level >= 60 ? (fields.err?.stack ?? '').split('\n').slice(1).join('\n') : '';
  const words = [clock, (levels[level] ?? 'INFO').padEnd(5), component, msg, ...parts];
  const line = words.filter((word) => word !== '').join(' ');
  return `${withoutOrders(line)}\n${stack === '' ? '' : `${stack}\n`}`;
}

/** The words of clouds and users must not clear the screen on which they are read. */
function withoutOrders(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, ' ');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (isError(value)) return JSON.stringify(`${value.type}: ${value.message}`);
  return JSON.stringify(value);
}

function isError(value: unknown): value is { type: string; message: string } {
  return typeof value === 'object' && value !== null && 'type' in value && 'stack' in value;
}
