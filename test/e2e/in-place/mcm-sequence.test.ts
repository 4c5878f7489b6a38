/**
 * MCM v0.62.1 and Millwright, led through the same update in place, write the same: labels, taints
 * and the condition of each Node, phases, texts and owner of each Machine, one after the other.
 * What differs is a heading of docs/compatibility.md.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { inPlaceHistoryFile } from '../support/in-place-moments.ts';
import { isBefore, sequenceOf, type Sequence } from '../support/in-place-sequence.ts';
import { createInPlacePool, nextClass, tellInPlaceStory } from '../support/in-place-story.ts';
import { classManifest } from '../support/manifests.ts';
import { ObjectHistory, readHistory, type Version } from '../support/object-history.ts';
import { useScenario } from '../support/scenario.ts';

const scenario = useScenario('inplaceseq');
const { cluster, namespace } = scenario;

interface Difference {
  /** Heading of docs/compatibility.md. */
  heading: string;
  /** Ends of facts. */
  facts: RegExp;
  /** What a value of either would be without the difference; undefined: not written. */
  alike(value: string): string | undefined;
}

const differences: Difference[] = [
  {
    heading: '`lastOperation` of a blocked or failing drain',
    facts: /^first: operation$/,
    alike: (value) =>
      value.includes('Nothing blocks the drain any more')
        ? undefined
        : value.replace(/(Drain failed due to -) .*( Will retry)/, '$1$2'),
  },
  {
    heading: 'In place: the words of a timeout',
    facts: /^third: operation$/,
    alike: (value) => value.replace('20s minutes.', '20s.'),
  },
];

/** What an agent, or a kill between two writes, relies on. */
const order: [earlier: string, later: string][] = [
  ['first: cordon cordoned', 'first: condition DrainSuccessful True: Node draining successful'],
  [
    'first: phase InPlaceUpdating',
    'first: condition ReadyForUpdate True: Node is ready for in-place update',
  ],
  ['first: copied condition UpdateSuccessful', 'first: set NEW SET'],
  ['old set: scale-up-disabled true', 'first: set NEW SET'],
  ['first: set NEW SET', 'old set: replicas 2'],
  ['first: set NEW SET', 'new set: replicas 1'],
  ['first: set NEW SET', 'second: labels candidate-for-update=true selected-for-update=true'],
];

test('writes what MCM wrote, but for what the list has', async () => {
  await cluster.create(
    'machineclasses',
    classManifest({ namespace, name: nextClass }, { providerSpec: { size: nextClass } }),
  );
  const pool = await createInPlacePool(scenario);
  const history = new ObjectHistory(cluster);
  try {
    await history.started();
    await tellInPlaceStory(scenario, pool);
  } finally {
    await history.stop();
  }
  expect(alike(sequenceOf(history.versions))).toEqual(alike(sequenceOf(mcm)));
  expect(ordered(history.versions)).toEqual(ordered(mcm));
});

const mcm = readHistory(inPlaceHistoryFile);

function alike(sequence: Sequence): Sequence {
  return Object.fromEntries(
    Object.entries(sequence).map(([fact, values]) => {
      const found = differences.filter(({ facts }) => facts.test(fact));
      return [fact, found.reduce(withoutDifference, values)];
    }),
  );
}

const withoutDifference = (values: string[], difference: Difference): string[] =>
  values.flatMap((value) => difference.alike(value) ?? []);

const ordered = (versions: readonly Version[]): unknown =>
  order.map(([earlier, later]) => ({
    earlier,
    later,
    isBefore: isBefore(versions, [earlier, later]),
  }));

test('each difference is a heading of compatibility.md', () => {
  const page = readFileSync(join(repository, 'docs/compatibility.md'), 'utf8');
  const headings = page.split('\n').filter((line) => line.startsWith('### '));
  for (const { heading } of differences) expect(headings).toContain(`### ${heading}`);
});
