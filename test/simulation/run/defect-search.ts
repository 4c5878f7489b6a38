/** Runs seeds with a defect until one of them breaks a rule that it keeps without the defect. */
import { execFile } from 'node:child_process';
import type { Copy } from '../../mutants/copy.ts';
import { withDefect, type Defect } from './defects.ts';
import { crashRule } from './simulator.ts';
import type { FailureInJson, RunInJson } from './tally.ts';

export interface SearchOptions {
  /** The first one. */
  seed: number;
  machines: number;
  hours: number;
  /** Of CPU, for each defect. */
  minutes: number;
}

export interface Verdict {
  id: string;
  title: string;
  /** Undefined: not found. */
  rule?: string;
  /** Of the violation. */
  text?: string;
  seed?: number;
  cpuSeconds: number;
}

const outputLimitBytes = 64 * 1024 * 1024;

export class DefectSearch {
  readonly #copy: Copy;
  readonly #options: SearchOptions;
  /** Rules that a seed breaks in the code as it is. */
  readonly #brokenAnyway = new Map<number, Promise<readonly string[]>>();

  constructor(copy: Copy, options: SearchOptions) {
    this.#copy = copy;
    this.#options = options;
  }

  async find(defect: Defect): Promise<Verdict> {
    const { id, title } = defect;
    const limitSeconds = this.#options.minutes * 60;
    let cpuSeconds = 0;
    let { seed } = this.#options;
    while (cpuSeconds < limitSeconds) {
      const seconds = limitSeconds - cpuSeconds;
      const found = await withDefect(this.#copy, defect, () => this.#run(seed, seconds));
      cpuSeconds += found.cpuSeconds;
      const [failure] = found.failures;
      if (!failure) break;
      if (await this.#isByDefect(failure)) return { id, title, cpuSeconds, ...failure };
      seed = failure.seed + 1;
    }
    return { id, title, cpuSeconds };
  }

  /** An error of the simulation would say of a change that does not compile that it is found. */
  async #isByDefect({ seed, rule, text }: FailureInJson): Promise<boolean> {
    if (rule === crashRule) throw new Error(`seed ${seed}: ${text}`);
    const before =
      this.#brokenAnyway.get(seed) ??
      this.#run(seed).then(({ failures }) => failures.map((failure) => failure.rule));
    this.#brokenAnyway.set(seed, before);
    return !(await before).includes(rule);
  }

  /** Without a limit: that seed alone. */
  #run(seed: number, limitSeconds?: number): Promise<RunInJson> {
    const { machines, hours } = this.#options;
    const size = ['--seed', seed, '--machines', machines, '--hours', hours];
    const limit = limitSeconds === undefined ? [] : ['--minutes', limitSeconds / 60];
    const args = [...size, ...limit, '--bail', '--no-shrink', '--output', 'json'];
    return runInFolder(this.#copy.folder, args.map(String));
  }
}

/** Throws with what the run wrote when it has no result. */
function runInFolder(folder: string, args: readonly string[]): Promise<RunInJson> {
  const script = 'test/simulation/run/run.ts';
  const options = { cwd: folder, maxBuffer: outputLimitBytes };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...args], options, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${script} ${args.join(' ')} has no result\n${stderr}`));
      }
    });
  });
}
