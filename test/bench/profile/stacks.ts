/** Profiles as stacks and how long each was on the CPU. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from '../../../deploy/local/layout.ts';
import type { CpuProfile } from './inspector.ts';

/** Frames from the outermost to the innermost, joined by `;` -> milliseconds. */
export type Stacks = Map<string, number>;

/** What the thread did not do is left out. */
const idle = new Set(['(idle)', '(root)', '(program)']);

export function stacksOfNode({ nodes, samples, timeDeltas }: CpuProfile): Stacks {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, frameOf(callFrame)]));
  const stackOf = (id: number): string => {
    const line: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = frames.get(at);
      if (frame !== undefined && frame !== '(root)') line.unshift(frame);
    }
    return line.join(';');
  };
  const stacks: Stacks = new Map();
  for (const [index, id] of samples.entries()) {
    if (idle.has(frames.get(id) ?? '')) continue;
    add(stacks, stackOf(id), (timeDeltas[index] ?? 0) / 1_000);
  }
  return stacks;
}

function frameOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  return url === '' ? name : `${name} ${placeOf(url)}`;
}

/** Within the project or the package, without the machine's path. */
function placeOf(url: string): string {
  const path = url.replace(/^file:\/\//, '');
  const [, inPackage] = /.*\/node_modules\/(.+)$/.exec(path) ?? [];
  return inPackage ?? path.replace(`${repository}/`, '');
}

/** Of a file of a Go program's `/debug/pprof/profile`, by Go's own tool. */
export async function stacksOfGo(file: string): Promise<Stacks> {
  const command = ['tool', 'pprof', '-traces', '-unit=ms', file];
  const options = { maxBuffer: 256 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)('go', command, options);
  const stacks: Stacks = new Map();
  for (const trace of stdout.split(/^-+\+-+$/m).slice(1)) {
    const lines = trace.split('\n').filter((line) => line.trim() !== '');
    const [, milliseconds, innermost] = /^\s*([\d.]+)ms\s+(.+)$/.exec(lines[0] ?? '') ?? [];
    if (milliseconds === undefined || innermost === undefined) continue;
    const frames = [innermost, ...lines.slice(1)].map((line) => line.trim());
    add(stacks, frames.toReversed().join(';'), Number(milliseconds));
  }
  return stacks;
}

function add(stacks: Stacks, stack: string, milliseconds: number): void {
  stacks.set(stack, (stacks.get(stack) ?? 0) + milliseconds);
}
