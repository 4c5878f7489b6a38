/** Carries out the commands of a runbook as they stand there. */
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';

export class Runbook {
  readonly #text: string;
  readonly #variables: Readonly<Record<string, string>>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'millwright-runbook-'));

  private constructor(page: string, variables: Readonly<Record<string, string>>) {
    this.#text = readFileSync(join(repository, 'docs/runbooks', page), 'utf8');
    this.#variables = variables;
  }

  /** `variables`: what the page asks to set. */
  static async open(page: string, variables: Readonly<Record<string, string>>): Promise<Runbook> {
    const runbook = new Runbook(page, variables);
    for (const name of ['kubectl', 'temporal'] as const) {
      symlinkSync(await acquireBinary(name), join(runbook.#folder, name));
    }
    return runbook;
  }

  /** All commands below a heading such as `1. Stop Millwright`. Returns what they print. */
  async run(heading: string): Promise<string> {
    const blocks = this.#blocksBelow(heading);
    if (blocks.length === 0) throw new Error(`no commands below "${heading}"`);
    const script = ['set -euo pipefail', ...blocks].join('\n');
    return await runProgram('bash', ['-c', script], {
      cwd: this.#folder,
      env: { ...this.#variables, PATH: `${this.#folder}:${process.env['PATH'] ?? ''}` },
      limitMs: 180_000,
      errorsApart: true,
    });
  }

  #blocksBelow(heading: string): string[] {
    const [, section = ''] = this.#text.split(`\n## ${heading}\n`);
    const [own = ''] = section.split('\n## ');
    return [...own.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  }
}
