/** Code that does not go on with its workflows. */
import { diagnose } from '../../../cli/diagnosis/diagnose.ts';
import type { ReleaseFacts } from '../../../cli/install/install.ts';
import { anInstall, now } from './objects.ts';

const deploymentName = 'machines_millwright';
const good = { deploymentName, buildId: '1.0.0-good' };
const bad = { deploymentName, buildId: '1.1.0-bad' };
const queue = 'millwright/uid/shoot';

function found(changes: Partial<ReleaseFacts>) {
  const release = {
    queue,
    current: bad,
    polling: [bad],
    begunAnew: undefined,
    failing: undefined,
    ...changes,
  };
  const pollers = { [queue]: release.polling.length };
  const temporal = { address: 't:7233', namespace: 'machines', pollers, release };
  return diagnose(anInstall({ temporal }));
}

const describeLine =
  'temporal worker deployment describe --address t:7233 --namespace machines --name machines_millwright';
const setupLine = (buildId: string) =>
  `millwright setup --current=${buildId} --deployment=machines_millwright --temporal-namespace=machines`;

test('a version whose workers poll, beside others that stand by, is well', () => {
  expect(found({ polling: [bad, good] })).toEqual([]);
  expect(found({ current: undefined, polling: [undefined] })).toEqual([]);
});

test('runs that begin anew: since when, why, and back to the version that is there', () => {
  const workflowId = 'machine/shoot/pool-1';
  const begunAnew = { count: '3', since: now - 60_000, workflowId, words: '[TMPRL1100]\nno timer' };
  expect(found({ begunAnew, polling: [bad, good, good] })).toEqual([
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: queue },
      cause:
        'runs that failed within the hour and began anew: 3, such as machine/shoot/pool-1: [TMPRL1100] no timer',
      since: now - 60_000,
      commands: [
        'temporal workflow show --address t:7233 --namespace machines --workflow-id machine/shoot/pool-1',
        describeLine,
        '# gives all work to other workers that poll: those of the release before',
        setupLine('1.0.0-good'),
      ],
    },
  ]);
});

test('tasks that fail: without workers of another version their pods come first', () => {
  const failing = { count: '1', since: now, workflowId: 'machine/shoot/a', words: 'TypeError: x' };
  expect(found({ failing })).toMatchObject([
    {
      trouble: 'bad-release',
      cause:
        'workflows that stand still because their tasks fail: 1, such as machine/shoot/a: TypeError: x',
      since: now,
      commands: [
        expect.stringContaining('temporal workflow show'),
        describeLine,
        '# back to the release before',
        'helm rollback millwright --namespace shoot',
      ],
    },
  ]);
});

test('a current version that no worker polls', () => {
  expect(found({ polling: [good, good] })).toMatchObject([
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: queue },
      cause:
        'all work goes to workers of version 1.1.0-bad of machines_millwright, but none of them polls; workers of version 1.0.0-good of machines_millwright get no work',
      commands: [describeLine, expect.stringMatching(/^# /), setupLine('1.0.0-good')],
    },
  ]);
});

test('workers without a version beside a current version, and the other way round', () => {
  expect(found({ polling: [undefined] })[0]?.commands.at(-1)).toBe(setupLine('unversioned'));
  const [finding] = found({ current: undefined, polling: [good] });
  expect(finding?.cause).toMatch(/^all work goes to workers without a version, /);
  expect(finding?.commands.at(-1)).toBe(setupLine('1.0.0-good'));
});

test('no worker at all is another trouble', () => {
  expect(found({ polling: [] }).map(({ trouble }) => trouble)).toEqual(['worker-down']);
});
