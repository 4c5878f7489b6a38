/** Completion in a real bash, and what the words of an unfinished line say. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readNames } from '../../cli/completion/live-names.ts';
import { wordsBefore } from '../../cli/completion/words.ts';
import { repository } from '../../deploy/local/layout.ts';

/** What a shell without the package bash-completion lacks. */
const bashCompletion = `
_get_comp_words_by_ref() {
  cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}`;

/** What bash offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const program = `
    millwright() { "${process.execPath}" "${join(repository, 'cli/millwright.ts')}" "$@"; }
    ${bashCompletion}
    source <(millwright completion bash)
    COMP_WORDS=(millwright "$@") COMP_CWORD=$#
    __millwright_complete 2>/dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: process.env['PATH'], KUBECONFIG: '/nowhere' };
  const { stdout } = await promisify(execFile)('bash', ['-c', program, 'bash', ...words], { env });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  test('completes commands, their commands, options and values', async () => {
    expect(await offered('skip')).toEqual(['skip-drain', 'skip-volume-wait']);
    expect(await offered('rollout', 're')).toEqual(['resume', 'restart']);
    expect(await offered('extend-drain', '--min')).toEqual(['--minutes']);
    expect(await offered('doctor', '--output', '')).toEqual(['json', 'yaml']);
  });

  test('offers nothing, and says nothing, where the cluster is not found', async () => {
    expect(await offered('skip-drain', '')).toEqual([]);
  });
});

describe('names of a cluster', () => {
  let answers = true;
  let folder = '';
  let kubeconfig = '';
  const server = createServer((request, response) => {
    if (!answers) return;
    const resource = new URL(request.url ?? '', 'http://here').pathname.split('/').at(-1);
    const items = [{ metadata: { name: `${resource}-a` } }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'completion-'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    kubeconfig = join(folder, 'kubeconfig');
    const here = { name: 'here' };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ ...here, cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ ...here, user: {} }],
        contexts: [{ ...here, context: { cluster: 'here', user: 'here' } }],
        'current-context': 'here',
      }),
    );
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  const namesFor = async (...words: string[]) =>
    await readNames(wordsBefore([...words, '--kubeconfig', kubeconfig, '']));

  test('are those of the kinds that the command takes, and of options', async () => {
    answers = true;
    const { ofObjects } = await namesFor('preserve');
    expect(ofObjects).toEqual(['machine/machines-a', 'node/nodes-a']);
    const options = await readNames({ kinds: [], option: 'class', kubeconfig });
    expect(options.ofOptions).toEqual(new Map([['class', ['machineclasses-a']]]));
    const contexts = await readNames({ kinds: [], option: 'context', kubeconfig });
    expect(contexts.ofOptions).toEqual(new Map([['context', ['here']]]));
  });

  test('are left out where it does not answer', async () => {
    answers = false;
    expect(await namesFor('skip-drain')).toEqual({ ofObjects: [], ofOptions: new Map() });
  });
});

test('names are left out where the kubeconfig cannot be read', async () => {
  const words = { kinds: ['machine'], option: undefined, kubeconfig: '/nowhere' } as const;
  expect(await readNames(words)).toEqual({ ofObjects: [], ofOptions: new Map() });
  const contexts = { ...words, kinds: [], option: 'context' } as const;
  expect(await readNames(contexts)).toEqual({ ofObjects: [], ofOptions: new Map() });
});

test.each([
  [['rollout', 'status', ''], { kinds: ['machinedeployment'] }],
  [['preserve', 'no'], { kinds: ['machine', 'node'] }],
  [['explain', ''], { kinds: ['machine', 'machineset', 'machinedeployment'] }],
  [['skip-drain', '-n', 'shoot', ''], { kinds: ['machine'], namespace: 'shoot' }],
  [['doctor', '--context=a', '-n', ''], { kinds: [], option: 'namespace', context: 'a' }],
  [['doctor', '--namespace=sh'], { kinds: [], option: 'namespace' }],
  [['plan', 'mcd/pool', '--class', 'la'], { kinds: [], option: 'class' }],
  [['skip-drain', '--y'], { kinds: [] }],
  [['sk'], { kinds: [] }],
])('after %j it is known what is to be completed', (words, expected) => {
  expect(wordsBefore(words)).toMatchObject(expected);
});
