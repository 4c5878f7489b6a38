/** docs/cli.md shows what the commands print: `UPDATE_GOLDEN=1` writes it anew. */
import { withEnvironment } from '../support/environment.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { formatExplanation } from '../../cli/explain/explain.ts';
import { explainMachine } from '../../cli/explain/machine.ts';
import { statusAnswer } from '../../cli/status/status.ts';
import { stuckAnswer } from '../../cli/stuck/stuck.ts';
import { timelineAnswer } from '../../cli/timeline/timeline.ts';
import { rootOf, treeAnswer } from '../../cli/tree/tree.ts';
import { aMachine, now } from './diagnosis/objects.ts';
import { aBlockedDrain, anInstallInTrouble, aLifecycle } from './diagnosis/install-in-trouble.ts';

const page = new URL('../../docs/cli.md', import.meta.url);

withEnvironment({ LC_ALL: 'C.UTF-8', NO_COLOR: '1', FORCE_COLOR: undefined });

/** What a block of the page begins with, and what follows. */
const examples: Readonly<Record<string, () => string>> = {
  '$ millwright status': () => statusAnswer(anInstallInTrouble(), { isWide: false }).text,
  '$ millwright stuck': () => stuckAnswer(anInstallInTrouble(), { isWide: false }).text,
  '$ millwright tree mcd/pool': () => {
    const install = anInstallInTrouble();
    const root = rootOf(
      { kind: 'machinedeployment', name: 'pool' },
      { install, namespace: 'shoot' },
    );
    return treeAnswer(root, { install, isWide: false }).text;
  },
  '$ millwright explain machine/pool-1-b': () => {
    const explained = explainMachine(aBlockedDrain(), {
      install: anInstallInTrouble(),
      node: undefined,
    });
    return formatExplanation(explained, now);
  },
  '$ millwright timeline machine/pool-1-a': () =>
    timelineAnswer('pool-1-a', aLifecycle(), now).text,
};

const blockOf = (start: string): RegExp =>
  new RegExp(
    `(\`\`\`console\n${start.replaceAll(/[$/]/g, String.raw`\$&`)}\n)((?:[^\`]*\n)?)\`\`\``,
  );

test.each(Object.entries(examples))('%s', async (start, print) => {
  const text = await readFile(page, 'utf8');
  const block = blockOf(start);
  expect(text).toMatch(block);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    await writeFile(
      page,
      text.replace(block, (_, head: string) => `${head}${print()}\n\`\`\``),
    );
    return;
  }
  expect(block.exec(text)?.[2]).toBe(`${print()}\n`);
});

test('a name that is in no object is said', () => {
  const install = { ...anInstallInTrouble(), machines: [aMachine('x')] };
  const where = { install, namespace: 'shoot' };
  expect(() => rootOf({ kind: 'machineset', name: 'y' }, where)).toThrow(
    'There is no machineset/y in namespace shoot.',
  );
});
