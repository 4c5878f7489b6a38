import { EventEmitter } from 'node:events';
import { stopOnSignals } from '../../../deploy/local/stop-on-signals.ts';

/** What the supervisor is told, in order. */
function toldAfter(...signals: NodeJS.Signals[]): string[] {
  jest.spyOn(console, 'log').mockReturnValue();
  const told: string[] = [];
  const ofProcess = new EventEmitter();
  const kill = (signal?: NodeJS.Signals | number): boolean => told.push(String(signal)) > 0;
  stopOnSignals({ process: { kill }, send: ({ type }) => told.push(type) }, ofProcess);
  for (const signal of signals) ofProcess.emit(signal);
  jest.restoreAllMocks();
  return told;
}

test.each<{ signals: NodeJS.Signals[]; told: string[] }>([
  { signals: ['SIGINT'], told: ['stop'] },
  { signals: ['SIGINT', 'SIGINT'], told: ['stop', 'SIGKILL'] },
  // A terminal that closes, with the npm in it.
  { signals: ['SIGHUP', 'SIGHUP', 'SIGTERM'], told: ['stop'] },
  // `timeout 60 npm start`: of the group, and from bootstrap.mjs.
  { signals: ['SIGTERM', 'SIGTERM'], told: ['stop'] },
  { signals: ['SIGTERM', 'SIGINT'], told: ['stop', 'SIGKILL'] },
])('$signals: the supervisor is told $told', ({ signals, told }) => {
  expect(toldAfter(...signals)).toEqual(told);
});
