/** Completion of the plugin, as kubectl asks for it when the key Tab is hit. */
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { eventually } from '../../support/eventually.ts';
import type { NamedCluster } from './cluster.ts';
import { aNamedCluster } from './cluster.ts';

let cluster: NamedCluster;
let kubectl: string;
let env: NodeJS.ProcessEnv;

/** Programs on PATH, as npm makes them of `bin`. */
async function program(name: string, entrance: string): Promise<void> {
  const file = join(cluster.folder, name);
  const words = `"${process.execPath}" "${join(repository, entrance)}" "$@"`;
  await writeFile(file, `#!/bin/sh\nexec ${words}\n`);
  await chmod(file, 0o755);
}

beforeAll(async () => {
  cluster = await aNamedCluster();
  kubectl = await preparedBinary('kubectl');
  await program('kubectl-millwright', 'cli/millwright.ts');
  await program('kubectl_complete-millwright', 'cli/kubectl-complete.ts');
  const { folder, kubeconfig } = cluster;
  env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, KUBECONFIG: kubeconfig };
});
afterAll(async () => {
  await cluster.close();
});

/** Without what the candidates mean. The last line tells the shell what else to offer. */
async function offered(words: readonly string[]): Promise<string[]> {
  const args = ['__complete', 'millwright', ...words];
  const { stdout } = await promisify(execFile)(kubectl, args, { env });
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0] ?? '');
}

test.each([
  [['skip'], ['skip-drain', 'skip-volume-wait']],
  [['extend-drain', '--min'], ['--minutes']],
  [['stuck', '-n', ''], ['namespaces-a']],
  [['explain', 'machine/'], ['machine/machines-a']],
  [['-n', ''], ['namespaces-a']],
  [['-n', 'x', 'drain', ''], ['machine/machines-a']],
])('after "kubectl millwright" and %j it offers %j', async (words, expected) => {
  let last: string[] = [];
  // What takes more than a second is left out: a person hits the key again.
  await eventually(
    () => `${JSON.stringify(expected)}, not ${JSON.stringify(last)}`,
    async () => isDeepStrictEqual((last = await offered(words)), expected),
  );
  expect(last).toEqual(expected);
});
