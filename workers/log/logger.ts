import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogSettings } from './settings.ts';
import { lineOfKlog } from './log-klog.ts';
import { lineForPeople } from './log-text.ts';
import { withoutSecrets } from './redaction.ts';
import { secretValues } from './scrubbing.ts';

export type { Logger } from 'pino';

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

const scrub = (text: string): string => secretValues.scrub(text);

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
      formatters: { log: (fields) => withoutSecrets(fields, scrub) },
      // withoutSecrets has made errors plain already; pino's own serializer would lose their types
      // and causes.
      serializers: { err: (err: unknown) => err },
      hooks: {
        logMethod([first, message, ...more], method) {
          const text = message === undefined ? undefined : scrub(message);
          method.call(this, typeof first === 'string' ? scrub(first) : first, text, ...more);
        },
      },
      ...(onChild && { onChild }),
    },
    rewrite ? { write: (line: string) => void lines.write(rewrite(line)) } : lines,
  );
}
