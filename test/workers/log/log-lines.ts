/** A logger that keeps what it writes. */
import { EventEmitter, once } from 'node:events';
import { createLogger, type Logger } from '../../../workers/log/logger.ts';

export interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

export interface LogLines {
  log: Logger;
  lines: LogLine[];
  /** Resolves when the first line was written. */
  firstLine: Promise<unknown>;
}

export function logLines(): LogLines {
  const lines: LogLine[] = [];
  const writer = new EventEmitter();
  const firstLine = once(writer, 'line');
  const output = {
    write(line: string) {
      lines.push(JSON.parse(line));
      writer.emit('line');
    },
  };
  const log = createLogger({ component: 'worker', level: 'trace', format: 'json', output });
  return { log, lines, firstLine };
}
