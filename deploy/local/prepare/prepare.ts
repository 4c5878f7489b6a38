/** Gets what is needed, before anything that needs it runs. */
import { cachePlace } from '../binaries/cache.ts';
import { groupOf, makeBinaries, missingBinaries } from '../binaries/acquire.ts';
import { tools, type ToolName } from '../binaries/tools.ts';
import { messageOf } from '../failure.ts';
import { requireRoom } from '../room.ts';
import type { StartView } from '../progress-view.ts';
import { startView } from '../start-view.ts';
import type { Need } from './needs.ts';
import { isDebianName, isDebianPrepared, makeDebian } from './debian.ts';
import { isPythonName, isPythonPrepared, makePython } from './python.ts';

/** Something that is missing, and what gets it. */
export interface Task {
  name: string;
  /** `report` says what goes on, in one line. */
  run: (report: (line: string) => void) => Promise<void>;
}

/**
 * Gets what is missing of this, and says how that goes; says nothing when all is there. Can be
 * broken off: what is finished is kept. Rejects with all that failed, and what to do.
 *
 * @param others Are missing as well.
 */
export async function prepare(needs: readonly Need[], others: readonly Task[] = []): Promise<void> {
  const tasks = [...(await tasksFor([...new Set(needs)])), ...others];
  // All of them would fail for the same reason.
  if (tasks.length > 0) requireRoom(cachePlace(process.env));
  process.once('SIGINT', breakOff);
  await runTasks(tasks, startView);
  process.off('SIGINT', breakOff);
}

function breakOff(): void {
  // The list of tasks hides the cursor.
  const cursor = process.stdout.isTTY ? '\x1b[?25h' : '';
  console.log(`${cursor}\nBroken off: what is finished is kept.`);
  process.exit(130);
}

async function tasksFor(needs: readonly Need[]): Promise<Task[]> {
  const names = needs.filter((need): need is ToolName => need in tools);
  const programs = Object.groupBy(await missingBinaries(names), (name) => groupOf(tools[name]));
  const pythons = needs.filter(isPythonName);
  const arePrepared = await Promise.all(pythons.map(isPythonPrepared));
  const debians = needs.filter(isDebianName);
  const areUnpacked = await Promise.all(debians.map(isDebianPrepared));
  return [
    ...Object.values(programs).map((group = []) => ({
      name: group.join(', '),
      run: (report: (line: string) => void) => makeBinaries(group, { report }),
    })),
    ...pythons
      .filter((_name, index) => !arePrepared[index])
      .map((name) => ({
        name: `${name} (Python)`,
        run: (report: (line: string) => void) => makePython(name, report),
      })),
    ...debians
      .filter((_name, index) => !areUnpacked[index])
      .map((name) => ({
        name: `${name} (Debian)`,
        run: (report: (line: string) => void) => makeDebian(name, report),
      })),
  ];
}

/** Programs word a full disk in many ways: the same line for all of them is printed once. */
function textOf(error: unknown): string {
  const text = messageOf(error);
  if (!/no space left on device/i.test(text)) return text;
  const { folder, otherwise } = cachePlace(process.env);
  return `no space left: free some of the disk of ${folder}, or ${otherwise}`;
}

/** All at the same time: downloads wait for the network, and builds for their turn. */
export async function runTasks(tasks: readonly Task[], openView: () => StartView): Promise<void> {
  if (tasks.length === 0) return;
  const view = openView();
  view.show({ type: 'plan', steps: tasks.map(({ name }) => name) });
  const failed = new Map<string, string[]>();
  await Promise.all(
    tasks.map(async ({ name: step, run }) => {
      try {
        await run((line) => {
          const text = `${line}, since ${new Date().toLocaleTimeString('en-GB')}`;
          view.show({ type: 'step', step, text });
        });
        view.show({ type: 'stepDone', step, text: '' });
      } catch (error) {
        const text = textOf(error);
        failed.set(text, [...(failed.get(text) ?? []), step]);
        view.show({ type: 'stepFailed', step, text });
      }
    }),
  );
  await view.close();
  if (failed.size === 0) return;
  const faults = [...failed].map(([text, steps]) => `${steps.join(', ')}: ${text}`);
  faults.push('Run the same command again once this is fixed: what is finished is kept.');
  throw new Error(faults.join('\n'));
}
