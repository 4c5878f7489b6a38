import { dirname, join } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { nodeFlags } from '../../../deploy/local/components/operator.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { preparedPython } from '../../../deploy/local/prepare/python.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { readDockerfile, type Instruction } from '../../support/image/dockerfile.ts';
import { stagesFor } from '../../support/image/millwright-image.ts';

const stages = await stagesFor('amd64');
const image = stages.at(-1)?.instructions ?? [];
const flags = [...nodeFlags, '--disable-sigusr1'];

function kindsIn<Kind extends Instruction['kind']>(
  instructions: readonly Instruction[],
  kind: Kind,
): Extract<Instruction, { kind: Kind }>[] {
  return instructions.filter(
    (one): one is Extract<Instruction, { kind: Kind }> => one.kind === kind,
  );
}

test('hadolint finds nothing to warn of', async () => {
  const file = join(repository, 'deploy/Dockerfile');
  const hadolint = join(dirname(await preparedPython('hadolint')), 'hadolint');
  await expect(runProgram(hadolint, ['--failure-threshold=warning', file])).resolves.not.toMatch(
    /warning|error/,
  );
});

test('begins with official images by their digests, on the Node that is tested', () => {
  const bases = new Set(stages.map(({ base }) => base));
  const names = stages.map(({ name }) => name);
  const digest = '@sha256:[0-9a-f]{64}$';
  const node = manifest.devDependencies.node.replaceAll('.', '[.]');
  expect([...bases].filter((base) => !names.includes(base))).toEqual([
    expect.stringMatching(`^node:${node}-trixie-slim${digest}`),
    expect.stringMatching(`^debian:trixie-[0-9]{8}-slim${digest}`),
  ]);
});

test('the image starts without a shell, with the V8 flags of the local stack, as another user than root', () => {
  expect(kindsIn(image, 'entrypoint').map(({ words }) => words)).toEqual([['node', ...flags]]);
  expect(kindsIn(image, 'stopsignal').map(({ signal }) => signal)).toEqual(['SIGTERM']);
  expect(kindsIn(image, 'user').map(({ uid }) => uid)).toEqual([65_532]);
  // Whose stages have no shell of their own either.
  const commands = stages
    .filter(({ base, name }) => base === 'processes' || name === 'processes')
    .flatMap(({ instructions }) => kindsIn(instructions, 'run'));
  expect(commands.map(({ command }) => command)).toEqual([
    ['node', ...flags, 'watcher.js', '--help'],
    ['node', ...flags, 'worker.js', '--help'],
  ]);
});

test('code is compiled by the user that runs it: Node keeps it for each user', () => {
  const compiled = stages.find(({ name }) => name === 'compiled')?.instructions ?? [];
  expect(kindsIn(compiled, 'user')).toEqual(kindsIn(image, 'user'));
});

test.each([
  { text: 'FROM a\nADD b c', fault: 'ADD is not known here: b c' },
  { text: 'FROM a\nUSER node', fault: 'USER node is not known here' },
  { text: 'FROM a\nCOPY --link b c', fault: 'COPY --link is not known here' },
  { text: 'FROM a\nCOPY b', fault: 'COPY b has no target' },
  { text: 'FROM --x a', fault: 'FROM --x a is not known here' },
  { text: 'RUN a', fault: 'RUN stands before the first FROM' },
  { text: 'FROM ${A}', fault: '${A} has no value' },
  { text: 'FROM a\nARG B', fault: 'ARG B has no value' },
  { text: 'FROM a\nCMD b', fault: 'JSON' },
])('the tests refuse to carry out $text', ({ text, fault }) => {
  expect(() => readDockerfile(text, {})).toThrow(fault);
});

test('arguments, comments and lines that go on are read as Docker reads them', () => {
  const text = '# a\nARG A=1\nFROM x:${A} AS y\n# b\nRUN c \\\n  d\nENV E=1 F=2\n';
  expect(readDockerfile(text, { A: '2' })).toEqual([
    {
      base: 'x:2',
      name: 'y',
      instructions: [
        { kind: 'run', command: 'c d' },
        { kind: 'env', values: { E: '1', F: '2' } },
      ],
    },
  ]);
});
