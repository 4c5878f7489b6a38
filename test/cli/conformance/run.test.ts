/** The order of a run, and its end. What it finds is tested end to end, on drivers that run. */
import { DriverUnderTest } from '../../../cli/driver/conformance/driver-under-test.ts';
import { heading, lineOf, reportOf, totals } from '../../../cli/driver/conformance/report.ts';
import type { Verdict } from '../../../cli/driver/conformance/report.ts';
import { runChecks } from '../../../cli/driver/conformance/run.ts';
import { Trial } from '../../../cli/driver/conformance/trial.ts';
import type { Question, Reply } from '../../../cli/driver/conformance/workflow.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { KubeList, KubeObject } from '../../../kube/client/client.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

async function runOn(
  answers: (question: Question) => Reply,
  { signal = new AbortController().signal, providerSpec = { size: 's' } } = {},
) {
  const asked: Question[] = [];
  const kube = new InMemoryClient(aMachineClass({ providerSpec }));
  const driver = new DriverUnderTest(
    {
      rest: async () => undefined,
      async ask(question) {
        asked.push(question);
        return answers(question);
      },
    },
    { queue: 'queue', cluster: 'c', namespace },
  );
  const machineClass = aMachineClass({ providerSpec });
  const about = { run: 'verify-1', namespace, cluster: 'c', secret: { key: 'hunter2' } };
  const trial = new Trial({ ...about, driver, kube, machineClass, badSpecs: [] });
  const told: Verdict[] = [];
  const findings = await runChecks(trial, { signal, onFinding: (finding) => told.push(finding) });
  expect(told).toEqual(findings);
  return { asked, findings, kube };
}

const broken = (): Reply => ({ came: 'exception', message: 'hunter2 is wrong' });

test('a driver that only throws fails, and what needs an instance is skipped', async () => {
  const { findings, kube } = await runOn(broken);
  const resultOf = (check: string) =>
    findings.find((finding) => finding.check.startsWith(check))?.result;
  expect(resultOf('creates an instance')).toBe('failed');
  expect(resultOf('finds it by token')).toBe('skipped');
  expect(resultOf('cleans up')).toBe('failed');
  expect(resultOf('no answer holds a value of the Secret')).toBe('failed');
  expect(findings).toContainEqual(
    expect.objectContaining({ came: 'an exception, three times: <value of key> is wrong' }),
  );
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  const classes = await kube.list<KubeObject>(customResource('machineclasses', namespace));
  expect(namesIn(classes)).toEqual(['small']);
});

const namesIn = ({ items }: KubeList<KubeObject>) => items.map(({ metadata }) => metadata.name);

test('a conformance run that is ended asks no more, and cleans up', async () => {
  const { asked, findings } = await runOn(
    ({ activity }) => ({
      came: 'answer',
      answer: activity === 'listInstances' ? { outcome: 'listed', instances: [] } : gone,
    }),
    { signal: AbortSignal.abort() },
  );
  expect(asked.map(({ activity }) => activity)).toEqual([
    'deleteInstance',
    'listInstances',
    'listInstances',
  ]);
  expect(findings.map(({ check, result }) => `${result} ${check}`).slice(0, 2)).toEqual([
    'failed is asked everything',
    'ok cleans up: instances, Nodes and classes of this run are gone',
  ]);
});

const gone = { outcome: 'deleted', isFound: false, settleSeconds: 0 };

test('the report says what was expected and what came', () => {
  const subject = {
    provider: 'acme',
    queue: 'millwright/c/shoot/driver/acme',
    namespace: 'shoot',
    className: 'small',
    contract: 'millwright' as const,
    run: 'verify-1',
  };
  const findings: Verdict[] = [
    { check: 'a', result: 'ok', milliseconds: 5 },
    { check: 'b', result: 'failed', expected: 'one', came: 'two', milliseconds: 5 },
    { check: 'c', result: 'skipped', reason: 'no b', milliseconds: 5 },
  ];
  const report = reportOf(subject, findings);
  expect(report).toMatchObject({ isPassed: false, ok: 1, failed: 1, skipped: 1 });
  expect([heading(subject), ...findings.map(lineOf), totals(report)].join('\n')).toBe(
    `Driver of provider acme on millwright/c/shoot/driver/acme, MachineClass shoot/small; machines are called verify-1-...
ok      a (5 ms)
failed  b
          expected: one
          came:     two
skipped c: no b
1 ok, 1 failed, 1 skipped`,
  );
});
