/** Takes Temporal's memory away, or gives it an older one. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { signalProcess } from '../../../deploy/local/supervision/identity.ts';
import { componentOf, kill9 } from './components.ts';
import { testStack } from './test-stack.ts';

/** Of SQLite; the index of the log is made again from the log. */
const parts = ['', '-wal', '-shm'];
const keptParts = ['', '-wal'];

const database = (): string => testStack().layout.temporalDatabase;
const copy = (): string => `${database()}.copy`;

/** Starts the server again, and it knows nothing. */
export async function emptyTemporal(): Promise<void> {
  // The server that still runs keeps its own files, which nobody else sees any more.
  for (const part of parts) rmSync(`${database()}${part}`, { force: true });
  await kill9(testStack().layout.stateDir, 'temporal');
}

/** A backup of this moment. */
export function saveTemporal(): void {
  const server = componentOf(testStack().layout.stateDir, 'temporal');
  signalProcess(server, 'SIGSTOP');
  try {
    for (const part of keptParts) {
      const from = `${database()}${part}`;
      if (existsSync(from)) copyFileSync(from, `${copy()}${part}`);
    }
  } finally {
    signalProcess(server, 'SIGCONT');
  }
}

/** Starts the server again with what was saved. */
export async function restoreTemporal(): Promise<void> {
  for (const part of parts) rmSync(`${database()}${part}`, { force: true });
  for (const part of keptParts) {
    const from = `${copy()}${part}`;
    if (existsSync(from)) copyFileSync(from, `${database()}${part}`);
  }
  await kill9(testStack().layout.stateDir, 'temporal');
}
