import { type DestinationStream, type Logger, pino } from 'pino';
import { lineForPeople, lineOfKlog } from './formats.ts';
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
