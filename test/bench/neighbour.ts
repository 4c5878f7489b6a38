/** CPU load beside the stack: it takes the same share of each core, however busy the machine is. */
import { spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';

/** Busy and idle in turn, so shortly that nothing notices more than less speed. Milliseconds. */
const periodMs = 20;

const program = `
const busyMs = Number(process.argv[1]);
setInterval(() => {
  const end = performance.now() + busyMs;
  while (performance.now() < end);
}, ${periodMs});
process.on('disconnect', () => process.exit());
`;

export interface Neighbour {
  /** Whether the system lets it go before all others: without that it gets less. */
  isFirst: boolean;
  stop(): void;
}

/** @param percent Of each core. 0: there is none. */
export function startNeighbour(percent: number): Neighbour {
  const count = percent === 0 ? 0 : availableParallelism();
  const busyMs = String((periodMs * percent) / 100);
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', program, busyMs], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  return {
    isFirst: loops.every(({ pid = 0 }) => goesFirst(pid)),
    stop: () => loops.forEach((loop) => loop.kill()),
  };
}

function goesFirst(pid: number): boolean {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
    return true;
  } catch {
    return false;
  }
}
