import type { EventEmitter } from 'node:events';
import type { Supervisor } from './launch.ts';

/**
 * The first signal asks for an orderly end; Ctrl-C after it does not wait for that. The others may
 * come twice of one cause: when a terminal closes, or a process group is ended, we get the
 * signal ourselves and once more from bootstrap.mjs, which hands on its own.
 */
export function stopOnSignals(
  {
    process: supervisor,
    send,
  }: Pick<Supervisor, 'send'> & {
    process: Pick<Supervisor['process'], 'kill'>;
  },
  signals: Pick<EventEmitter, 'on'>,
): void {
  let isAsked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    signals.on(signal, () => {
      if (isAsked && signal === 'SIGINT') supervisor.kill('SIGKILL');
      if (isAsked) return;
      isAsked = true;
      console.log('\nStopping ...');
      send({ type: 'stop' });
    });
  }
}
