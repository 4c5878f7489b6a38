/** What pages say of an install without Helm, as it is printed: only kubectl is played. */
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { renderChart } from '../../deploy/helm/render.ts';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { isRole, type Manifest, type Role } from '../../deploy/local/cluster/rights.ts';
import { repository } from '../../deploy/local/layout.ts';
import { textOf } from './pages.ts';

/** Keeps what it was called with, and what it was given for each context. */
const kubectl = `#!/bin/sh
echo "$@" >> called
case "$*" in *"-f -") cat > "given$1" ;; esac
`;

let folder: string;
let helm: string;

beforeAll(async () => {
  helm = await preparedBinary('helm');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-installing-'));
  await symlink(join(repository, 'deploy'), join(folder, 'deploy'));
  await symlink(helm, join(folder, 'helm'));
  await writeFile(join(folder, 'kubectl'), kubectl);
  await chmod(join(folder, 'kubectl'), 0o755);
});
afterEach(async () => await rm(folder, { recursive: true }));

async function run(commands: string): Promise<void> {
  const env = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
  await runProgram('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env });
}

/** The block of the page that begins so. */
function blockOf(page: string, start: string): string {
  const blocks = [...textOf(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)];
  const found = blocks.map(([, text = '']) => text).find((text) => text.trim().startsWith(start));
  if (found === undefined) throw new Error(`${page} has no block that begins with ${start}`);
  return found;
}

const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(join(folder, file), 'utf8')).trim().split('\n');

function objectsIn(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document): Manifest | null => document.toJS())
    .filter((object) => object !== null);
}

/** Without what Helm says of itself, and the name of the Job, which is made of its content. */
function plain(text: string): Manifest[] {
  const ofHelm = / +(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/g;
  return objectsIn(text.replaceAll(ofHelm, '').replaceAll(/millwright-version-\w+/g, 'version'));
}

test('image, address and namespace come into install.yaml as by the values of the chart', async () => {
  const block = blockOf('docs/install.md', 'sed ');
  await run(block.replace('temporal-namespace=machines', 'temporal-namespace=other'));
  expect(await linesOf('called')).toEqual([
    'create namespace machines',
    'apply --server-side -f deploy/crds -f install.yaml',
  ]);
  const values = {
    'image.repository': 'REGISTRY/millwright',
    'temporal.address': 'temporal.example:7233',
    'temporal.namespace': 'other',
  };
  const args = Object.entries(values).map(([name, value]) => `--set=${name}=${value}`);
  const rendered = await renderChart({
    helm,
    namespace: 'machines',
    args: [...args, '--skip-tests'],
  });
  expect(plain((await linesOf('install.yaml')).join('\n'))).toEqual(plain(rendered));
});

/** By their names: those for people need no user. */
function rulesIn(text: string): Record<string, Role['rules']> {
  const roles = objectsIn(text).filter(isRole);
  return Object.fromEntries(roles.map(({ metadata: { name }, rules }) => [name, rules]));
}

test('the rights for processes of a checkout are those of install.yaml, for their user', async () => {
  await run(blockOf('docs/running-in-a-cluster.md', 'WHO='));
  const control = (await linesOf('given--context=control')).join('\n');
  const target = (await linesOf('given--context=target')).join('\n');
  const installed = await readFile(join(repository, 'deploy/manifests/install.yaml'), 'utf8');
  expect({ ...rulesIn(control), ...rulesIn(target) }).toEqual(rulesIn(installed));
  const all = [...objectsIn(control), ...objectsIn(target)];
  const bindings = all.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind));
  const user = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'millwright' };
  for (const binding of bindings) expect(binding).toMatchObject({ subjects: [user] });
  expect(all.filter(({ kind }) => /^(Deployment|Job|Pod)/.test(kind))).toEqual([]);
});
