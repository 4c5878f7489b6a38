/** Completion in real shells, as a person has it: the script is read, and the tab key is hit. */
import { eventually } from '../../support/eventually.ts';
import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { NamedCluster } from './cluster.ts';
import { aNamedCluster } from './cluster.ts';
import { environmentOf, isOnPath, TypedShell } from './typed-shell.ts';

const unreachable = '/nowhere/kubeconfig';

let cluster: NamedCluster;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  cluster = await aNamedCluster();
  env = await environmentOf(cluster);
});
afterAll(async () => {
  await cluster.close();
});

/** Names that take more than a second are left out: a person hits the key again. */
async function answerLike(expected: unknown, ask: () => Promise<unknown>): Promise<unknown> {
  let last: unknown;
  const holds = async (): Promise<boolean> => isDeepStrictEqual((last = await ask()), expected);
  await eventually(() => `${JSON.stringify(expected)}, not ${JSON.stringify(last)}`, holds);
  return last;
}

/** Why a shell is not tested on this machine, for the title; empty where it is. */
function reasonToSkip(...programs: string[]): string {
  const missing = programs.filter((program) => !isOnPath(program));
  return missing.length > 0 ? `: skipped, not installed: ${missing.join(', ')}` : '';
}

const lookahead = (text: string): string => `(?=[^]*${text})`;
const objects = [
  'machine/machines-a',
  'machinedeployment/machinedeployments-a',
  'machineset/machinesets-a',
];
const allObjects = new RegExp(objects.map(lookahead).join(''));
const arn = 'arn:aws:eks:eu-west-1:1:cluster/prod';

/** What is typed before the tab key, and what the command is called with. */
const lines: readonly [typed: string, called: string][] = [
  ['explain machine/ma', '<explain> <machine/machines-a>'],
  ['extend-drain --min', '<extend-drain> <--minutes>'],
  ['stuck -n ', '<stuck> <-n> <namespaces-a>'],
  ['-n ', '<-n> <namespaces-a>'],
  [
    '--context two\\ words -n x explain machine/ma',
    '<--context> <two words> <-n> <x> <explain> <machine/machines-a>',
  ],
  ['stuck --context arn:aws:e', `<stuck> <--context> <${arn}>`],
  ['stuck --context=arn:a', `<stuck> <--context=${arn}>`],
  ['stuck --context tw', '<stuck> <--context> <two words>'],
  // Names come from the cluster that the line names, and none from one that cannot be read.
  [`drain --kubeconfig ${unreachable} ma`, `<drain> <--kubeconfig> <${unreachable}> <ma>`],
];

for (const name of ['bash', 'zsh'] as const) {
  const reason = reasonToSkip(name, 'script');
  (reason === '' ? describe : describe.skip)(`${name}${reason}`, () => {
    let shell: TypedShell;
    beforeAll(async () => {
      shell = await TypedShell.start(name, env);
    });
    afterAll(() => shell.close());

    test('reads the script without complaints', () => {
      expect(shell.greeting).not.toMatch(/(?:bash|zsh): /);
    });

    test('offers what there is', async () => {
      await shell.printed('millwright explain ma\t', allObjects);
      const commands = await shell.printed('millwright skip\t', /skip-volume-wait/);
      expect(commands).toContain('skip-drain');
      expect(commands).not.toContain('stuck');
    });

    test.each(lines)('completes %j', async (typed, called) => {
      expect(await answerLike(called, () => shell.ran(`millwright ${typed}\t`))).toBe(called);
    });

    test('knows the home directory', async () => {
      const line = 'KUBECONFIG= millwright stuck --kubeconfig ~/kubeconfig -n \t';
      const called = `<stuck> <--kubeconfig> <${cluster.kubeconfig}> <-n> <namespaces-a>`;
      expect(await answerLike(called, () => shell.ran(line))).toBe(called);
    });
  });
}

/** By fish, without what the candidates mean. */
async function offered(line: string): Promise<string[]> {
  const program = 'millwright completion fish | source; complete --do-complete $argv[1]';
  const { stdout } = await promisify(execFile)('fish', ['-c', program, line], { env });
  const found = stdout.split('\n').filter((candidate) => candidate !== '');
  return found.map((candidate) => candidate.split('\t')[0] ?? '').toSorted();
}

const reasonOfFish = reasonToSkip('fish');
(reasonOfFish === '' ? describe : describe.skip)(`fish${reasonOfFish}`, () => {
  test.each([
    ['explain ma', objects],
    ['skip', ['skip-drain', 'skip-volume-wait']],
    ['extend-drain --min', ['--minutes']],
    ['stuck --kubeconfig ~/kubeconfig -n ', ['namespaces-a']],
    ['stuck --context=arn:', [`--context=${arn}`]],
    ['stuck --context tw', ['two words']],
    [`drain --kubeconfig ${unreachable} ma`, []],
  ])('completes %j', async (typed, expected) => {
    expect(await answerLike(expected, () => offered(`millwright ${typed}`))).toEqual(expected);
  });
});
