/** The command `millwright` reads every line that the documentation shows of it. */
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { pagesBelow, textOf } from './pages.ts';

/** Of shell blocks, lines that go on with a backslash as one; of others what follows `$ `. */
function commandsOf(text: string): string[] {
  const blocks = text.matchAll(/^ *```(sh|bash|console)?\n([\s\S]*?)^ *```/gm);
  return [...blocks].flatMap(([, language, block = '']) => {
    const begin = language === 'console' || language === undefined ? '^ *\\$ ' : '(?:^ *|\\$\\()';
    const command = new RegExp(`${begin}(?:npx )?(millwright [^|>#;&)\\n]*)`, 'gm');
    const lines = block.replaceAll(/\\\n */g, '');
    return [...lines.matchAll(command)].map(([, words = '']) => words.trim());
  });
}

/** As a shell splits them; variables and what a reader puts in are some name. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words
    .slice(1)
    .map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2').replace(/\$\w+|\bNAME$/, 'x'));
}

/** Nothing is run, and what it prints is not shown. */
async function faultsOf(command: string): Promise<string[]> {
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  try {
    const program = createProgram(async () => undefined, silent);
    await program.parseAsync(wordsOf(command), { from: 'user' });
    return [];
  } catch (error) {
    return [`${command}: ${String(error)}`];
  }
}

describe('commands in the documentation are read', () => {
  const shown = new Map(pagesBelow().map((page) => [page, commandsOf(textOf(page))]));
  const pages = [...shown.keys()].filter((page) => shown.get(page)?.length);

  test.each(pages)('%s', async (page) => {
    const faults = await Promise.all(shown.get(page)?.map(faultsOf) ?? []);
    expect(faults.flat()).toEqual([]);
  });

  test('which has many of them', () => {
    expect([...shown.values()].flat().length).toBeGreaterThan(60);
  });

  test.each(['millwright nonsense', 'millwright stuck --nonsense', 'millwright drain machine/x'])(
    'not %s',
    async (command) => {
      await expect(faultsOf(command)).resolves.toHaveLength(1);
    },
  );
});

/** With the names of those above it. */
function commandsBelow(command: Command, names: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((one) => {
    const path = [...names, one.name()];
    return [[path.join(' '), one], ...commandsBelow(one, path)] satisfies [string, Command][];
  });
}

async function helpOf(path: string): Promise<string> {
  let help = '';
  const output = { writeOut: (text: string) => (help += text), writeErr: () => undefined };
  const program = createProgram(async () => undefined, output);
  await program.parseAsync([...path.split(' '), '--help'], { from: 'user' }).catch(() => undefined);
  return help;
}

describe('the help of each command has examples, which are read', () => {
  const leaves = commandsBelow(createProgram(async () => undefined))
    .filter(([, { commands }]) => commands.length === 0)
    .map(([path]) => path)
    .filter((path) => path !== 'help' && path !== 'complete');

  test.each(leaves)('%s', async (path) => {
    const [, examples = ''] = (await helpOf(path)).split('Examples:\n');
    const lines = [...examples.matchAll(/^ +(?:source <\()?(millwright [^|>#;&()\n]*)/gm)];
    const commands = lines.map(([, command = '']) => command.trim());
    expect(commands.join('\n')).toContain(`millwright ${path}`);
    expect((await Promise.all(commands.map(faultsOf))).flat()).toEqual([]);
  });
});

test('the page on security names the commands that want the keys of payloads', () => {
  const all = commandsBelow(createProgram(async () => undefined));
  const wanting = all.filter(([, { options }]) =>
    options.some(({ long }) => long === '--payload-keys'),
  );
  const page = textOf('docs/security.md').replaceAll('millwright ', '');
  expect(wanting.length).toBeGreaterThan(5);
  expect(wanting.map(([name]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
