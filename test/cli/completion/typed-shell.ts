/** An interactive shell at a terminal, into which a person types. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { eventually } from '../../support/eventually.ts';
import type { NamedCluster } from './cluster.ts';

/** Without the files of the person and of the machine. */
const interactive = {
  bash: {
    command: 'bash --norc --noprofile -i',
    // Read twice, as by a person who reads .bashrc again.
    begin:
      "bind 'set show-all-if-ambiguous on'; source <(millwright completion bash); source <(millwright completion bash)",
  },
  zsh: {
    command: 'zsh -f -i',
    begin:
      'setopt no_list_ambiguous; autoload -Uz compinit; compinit -u -D; source <(millwright completion zsh)',
  },
} as const;

/** After it a person hits the tab key again: names that take more than a second are left out. */
const againMs = 10_000;

export function isOnPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/**
 * Of a shell for which `millwright` is a program in the folder of the cluster. It completes, and
 * says of all else what it was called with.
 */
export async function environmentOf({
  folder,
  kubeconfig,
}: NamedCluster): Promise<NodeJS.ProcessEnv> {
  const file = join(folder, 'millwright');
  const program = `"${process.execPath}" "${join(repository, 'cli/millwright.ts')}"`;
  const text = `#!/bin/sh
case $1 in complete | completion) exec ${program} "$@" ;; esac
printf 'ran:'; printf ' <%s>' "$@"; echo .
`;
  await writeFile(file, text);
  await chmod(file, 0o755);
  return {
    PATH: `${folder}:${process.env['PATH']}`,
    HOME: folder,
    KUBECONFIG: kubeconfig,
    TERM: 'dumb',
    LC_ALL: 'C.UTF-8',
  };
}

export class TypedShell {
  readonly #terminal: ChildProcessWithoutNullStreams;
  #output = '';
  /** What it printed while it read the script. */
  greeting = '';

  private constructor(terminal: ChildProcessWithoutNullStreams) {
    this.#terminal = terminal;
    for (const stream of [terminal.stdout, terminal.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  static async start(shell: keyof typeof interactive, env: NodeJS.ProcessEnv): Promise<TypedShell> {
    const { command, begin } = interactive[shell];
    // It gives the shell a terminal, which pipes are not.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env });
    const typed = new TypedShell(terminal);
    typed.greeting = await typed.#until(`${begin}; echo ready$((1 + 1))\n`, /ready2/);
    return typed;
  }

  /** What the command was called with once the line is entered, each word in `<>`. */
  async ran(keys: string): Promise<string> {
    const text = await this.#until(`${keys}\n`, /ran: .*\.\r?\n/);
    return /ran: (.*)\./.exec(text)?.[1] ?? '';
  }

  /** What is printed below the line until `expected` is; the line is thrown away. */
  async printed(keys: string, expected: RegExp): Promise<string> {
    const again = setInterval(() => this.#terminal.stdin.write('\t'), againMs);
    const text = await this.#until(keys, expected).finally(() => clearInterval(again));
    await this.#until('\u0015echo over$((1 + 1))\n', /over2/);
    return text;
  }

  close(): void {
    this.#terminal.kill();
  }

  async #until(keys: string, expected: RegExp): Promise<string> {
    this.#output = '';
    this.#terminal.stdin.write(keys);
    const what = (): string => `${expected} after ${JSON.stringify(keys)}: ${this.#output}`;
    await eventually(what, () => expected.test(this.#output));
    return this.#output;
  }
}
