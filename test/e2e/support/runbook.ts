/** Carries out the commands of a runbook as they stand there. */
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { RunbookPage } from './runbook-page.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

export type RunbookVariables = Readonly<Record<string, string>>;

export class Runbook {
  readonly #page: RunbookPage;
  readonly #variables: RunbookVariables;
  /** Where the commands run; a file that one of them reads may be put there. */
  readonly folder = mkdtempSync(join(tmpdir(), 'millwright-runbook-'));

  private constructor(page: RunbookPage, variables: RunbookVariables) {
    this.#page = page;
    this.#variables = variables;
  }

  /** `variables`: at least those that the page asks to set. */
  static async open(file: string, variables: RunbookVariables): Promise<Runbook> {
    const page = new RunbookPage(file);
    const missing = page.variables.filter((name) => variables[name] === undefined);
    if (missing.length > 0) throw new Error(`${file} asks for ${missing.join(', ')}`);
    const runbook = new Runbook(page, variables);
    for (const name of ['kubectl', 'temporal'] as const) {
      symlinkSync(await preparedBinary(name), join(runbook.folder, name));
    }
    const command = join(repository, 'cli/millwright.ts');
    const script = `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`;
    writeFileSync(join(runbook.folder, 'millwright'), script, { mode: 0o755 });
    return runbook;
  }

  /** The page of a trouble of a scenario, with where its cluster and its Temporal are. */
  static async of(
    { namespace }: Pick<Scenario, 'namespace'>,
    trouble: string,
    variables: RunbookVariables = {},
  ): Promise<Runbook> {
    const { layout, temporalAddress } = testStack();
    return await Runbook.open(`${trouble}.md`, {
      KUBECONFIG: layout.kubeconfig,
      TARGET: layout.kubeconfig,
      NAMESPACE: namespace,
      INSTALL: namespace,
      TEMPORAL_ADDRESS: temporalAddress,
      ...variables,
    });
  }

  /**
   * All commands below a heading such as `1. Stop Millwright`, with those of the parts of this
   * section. Returns what they print.
   */
  async run(heading: string): Promise<string> {
    const blocks = this.#page.commandsBelow(heading);
    if (blocks.length === 0) throw new Error(`no commands below "${heading}"`);
    return await this.type(blocks.join('\n'));
  }

  /** Other commands, with the variables and programs of the page. Returns what they print. */
  async type(commands: string): Promise<string> {
    return await runProgram('bash', ['-c', `set -euo pipefail\n${commands}`], {
      cwd: this.folder,
      env: { ...this.#variables, PATH: `${this.folder}:${process.env['PATH'] ?? ''}` },
      errorsApart: true,
    });
  }
}
