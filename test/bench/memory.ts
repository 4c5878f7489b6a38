/**
 * `npm run bench -- memory 200`: what the memory of our processes is made of, at rest, with so
 * many machines, a minute later, and when they are gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './measure.ts';
import { scaleAndWatch } from './pool.ts';
import { processesOfOurs, residentOf, useOfProcess, type Resident } from './processes.ts';
import { openInspector, type Inspector } from './profile/inspector.ts';

const minuteMs = 60_000;
const mib = 1024 * 1024;

/** Of a thread, MiB. */
interface Heap {
  /** Objects, those that are garbage by now included. */
  used: number;
  /** What V8 holds for them. */
  held: number;
  /** Of it the young generation. */
  young: number;
  /** Buffers, WebAssembly, and texts that V8 does not hold itself. */
  external: number;
}

export interface MemorySample {
  process: string;
  state: string;
  resident: Resident;
  peakMib: number;
  cpuSeconds: number;
  /** By thread. */
  heaps: Record<string, Heap>;
}

const heapExpression = `(() => {
  const { getHeapStatistics, getHeapSpaceStatistics } = process.getBuiltinModule('node:v8');
  const { used_heap_size: used, total_physical_size: held } = getHeapStatistics();
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => space_name.startsWith('new'));
  const young = spaces.reduce((sum, { physical_space_size }) => sum + physical_space_size, 0);
  const { external } = process.memoryUsage();
  return { used, held, young, external };
})()`;

export async function measureMemory(
  bench: Bench,
  machines: number,
  asJson: boolean,
): Promise<void> {
  const samples: MemorySample[] = [];
  const inspectors = new Map<string, Inspector>();
  // How much an inspector takes itself is left out by this: it opens after the first look.
  const look = async (state: string): Promise<void> => {
    for (const { name, component } of processesOfOurs(bench.stack)) {
      const resident = residentOf(component.pid);
      const { peakMemoryMib: peakMib, cpuSeconds } = useOfProcess(component.pid);
      const inspector = inspectors.get(name) ?? (await openInspector(component));
      inspectors.set(name, inspector);
      const heaps = heapsOf(await inspector.evaluate(heapExpression));
      const sample = { process: name, state, resident, peakMib, cpuSeconds, heaps };
      samples.push(sample);
      if (!asJson) console.log(textOf(sample));
    }
  };
  await sleep(minuteMs);
  await look('at rest');
  await scaleAndWatch(bench.kube, machines);
  await look(`with ${machines} machines`);
  await sleep(minuteMs);
  await look('a minute later');
  await scaleAndWatch(bench.kube, 0);
  await look('without them');
  for (const inspector of inspectors.values()) inspector.close();
  if (asJson) console.log(JSON.stringify(samples, undefined, 2));
}

/** The inspector gives values of any shape. */
function heapsOf(values: Map<string, unknown>): Record<string, Heap> {
  return Object.fromEntries(
    [...values].map(([thread, value]) => {
      const sizes: Record<string, unknown> = { ...Object(value) };
      const size = (name: keyof Heap): number => Number(sizes[name]) / mib;
      const heap = {
        used: size('used'),
        held: size('held'),
        young: size('young'),
        external: size('external'),
      };
      return [thread, heap];
    }),
  );
}

function textOf({ process: name, state, resident, peakMib, heaps }: MemorySample): string {
  const { filesMib, anonymousMib } = resident;
  const threads = Object.entries(heaps).map(
    ([thread, { used, held, young, external }]) =>
      `    heap of ${thread.padEnd(10)}${held.toFixed(0)} MiB held, ${used.toFixed(0)} used, ${young.toFixed(0)} of it young; ${external.toFixed(0)} external`,
  );
  const held = Object.values(heaps).reduce((sum, heap) => sum + heap.held + heap.external, 0);
  return [
    `\n${name} ${state}: ${(filesMib + anonymousMib).toFixed(0)} MiB, at most ${peakMib.toFixed(0)}`,
    `    programs          ${filesMib.toFixed(0)} MiB, which processes of one program share`,
    ...threads,
    `    the rest          ${(anonymousMib - held).toFixed(0)} MiB: native parts, compiled code, stacks`,
  ].join('\n');
}
