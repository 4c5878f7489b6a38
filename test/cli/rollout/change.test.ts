/** Rollouts are changed by fields and options of the API. */
import { eventually } from '../../support/eventually.ts';
import { pause, restart, resume } from '../../../cli/rollout/change.ts';
import { now } from '../../../cli/rollout/now.ts';
import { history } from '../../../cli/rollout/history.ts';
import { undo } from '../../../cli/rollout/undo.ts';
import { readArguments } from '../../support/command-line.ts';
import { ReviewingClient } from '../../support/api-server/reviewing-client.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aTemplate,
  controlledBy,
} from '../../support/builders.ts';
import { annotations, options } from '../../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';

const path = '/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot/machinedeployments/workers';
const asked = { name: 'workers' };

type Changes = Parameters<typeof aMachineDeployment>[0];

/** Revision 1 has one machine, revision 2 is that of the template. */
function aPlace(changes: Changes = {}) {
  const deployment = aMachineDeployment(changes);
  const of = (name: string, revision: number, className: string) =>
    aMachineSet({
      metadata: {
        ownerReferences: controlledBy(deployment),
        name,
        annotations: {
          [annotations.revision]: String(revision),
          'kubernetes.io/change-cause': `because of ${revision}`,
        },
      },
      spec: { replicas: 1, template: aTemplate({ spec: { class: { name: className } } }) },
      status: { observedGeneration: 1, replicas: 1, availableReplicas: 1 },
    });
  const sets = [of('one', 1, 'tiny'), of('two', 2, 'small')];
  const machines = sets.map((set) =>
    aMachine({
      phase: 'Running',
      metadata: {
        ownerReferences: controlledBy({ ...set, kind: 'MachineSet' }),
        name: `${set.metadata.name}-a`,
        labels: { pool: 'a' },
      },
    }),
  );
  return { kube: new ReviewingClient(deployment, ...sets, ...machines), namespace: 'shoot' };
}

const stored = async ({ kube }: ReturnType<typeof aPlace>) =>
  await kube.read<MachineDeployment>(path);

test('a history shows a tab in a cause as a blank', async () => {
  const place = aPlace();
  const set = '/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot/machinesets/one';
  const causes = { 'kubernetes.io/change-cause': 'a\ttab' };
  await place.kube.patch(set, 'merge', { metadata: { annotations: causes } });
  expect((await history(place, asked)).text).toMatch(/one +1 +a tab\n/);
});

test('a pause is spec.paused, and a second one is refused', async () => {
  const place = aPlace();
  expect(await pause(place, asked)).toMatchObject({ text: 'machinedeployment/workers paused' });
  expect((await stored(place)).spec.paused).toBe(true);
  await expect(pause(place, asked)).rejects.toThrow('is already paused');
  await resume(place, asked);
  expect((await stored(place)).spec.paused).toBeUndefined();
  await expect(resume(place, asked)).rejects.toThrow('is not paused');
});

test('a rollout that holds after its first machines goes past them', async () => {
  const place = aPlace({ metadata: { annotations: { [options.canary]: '1' } } });
  const { text } = await resume(place, asked);
  expect(text).toBe('machinedeployment/workers resumed, past the first machines of revision 2');
  const { metadata } = await stored(place);
  expect(metadata.annotations?.[options.canaryPassed]).toBe('2');
});

test('without the right nothing is written, and the right is named', async () => {
  const place = aPlace();
  place.kube.refused.add('patch machinedeployments');
  const message = 'lack the right to patch machinedeployments.machine.sapcloud.io in shoot';
  await expect(pause(place, asked)).rejects.toThrow(message);
  await expect(restart(place, asked)).rejects.toThrow(message);
  expect(place.kube.writes()).toEqual([]);
});

const changes: [string, typeof pause][] = [
  ['pause', pause],
  ['restart', restart],
  ['undo', (place, { name }) => undo(place, { name, toRevision: 1 })],
];

test.each(changes)(
  'a deployment that has the name of the one that %s looked at stays as it is',
  async (_, change) => {
    const place = aPlace();
    place.kube.fault = ({ method }) => {
      if (method === 'PATCH') place.kube.put(aMachineDeployment({ metadata: { uid: 'another' } }));
      return undefined;
    };
    const words = 'machinedeployment/workers is another object of the same name by now';
    await expect(change(place, asked)).rejects.toThrow(words);
    const { spec, metadata } = await stored(place);
    expect(spec).toEqual(aMachineDeployment().spec);
    expect(metadata.annotations).toBeUndefined();
  },
);

test('a restart is an option, so the template stays', async () => {
  const place = aPlace();
  const before = await stored(place);
  await restart(place, asked);
  const after = await stored(place);
  expect(after.spec).toEqual(before.spec);
  expect(Date.parse(after.metadata.annotations?.[options.restart] ?? '')).toBeGreaterThan(0);
});

test('an override of policies is an option that names its end, why, and who', async () => {
  const place = aPlace();
  const before = await stored(place);
  const answer = await now(place, { ...asked, for: 3600, reason: 'CVE-2026-1234' });
  const { metadata, spec } = await stored(place);
  expect(spec).toEqual(before.spec);
  const written = metadata.annotations?.[options.overridePolicies] ?? '';
  const [, end = ''] = /^(\S+) CVE-2026-1234( \(by \S+\))?$/.exec(written) ?? [];
  expect(Date.parse(end)).toBeGreaterThan(Date.now());
  expect(answer.data).toEqual({
    namespace: 'shoot',
    name: 'workers',
    until: end,
    reason: 'CVE-2026-1234',
  });
  expect(answer.text.split('\n')).toEqual([
    `machinedeployment/workers policies overridden until ${end}: CVE-2026-1234`,
    'Limits of how many machines at a time hold all the same. To end it before: kubectl -n shoot annotate machinedeployment workers millwright.dev/override-policies-',
  ]);
});

test('a paused rollout neither restarts nor rolls back', async () => {
  const place = aPlace({ spec: { paused: true } });
  await expect(restart(place, asked)).rejects.toThrow('resume it');
  await expect(undo(place, { ...asked, toRevision: 1 })).rejects.toThrow('resume it');
});

test('an undo asks for a revision that there is', async () => {
  const place = aPlace();
  const answer = await undo(place, { ...asked, toRevision: 2 });
  expect(answer.text).toContain('current template already matches revision 2');
  await expect(undo(place, { ...asked, toRevision: 7 })).rejects.toThrow('known are 1, 2');
  expect(place.kube.writes()).toEqual([]);
});

/** What a worker, or another client, makes of the wish. */
async function undone(template: object) {
  const place = aPlace();
  const answer = undo(place, { ...asked, toRevision: 1 });
  await eventually('it is written', async () => place.kube.writes().includes(`PATCH ${path}`));
  await place.kube.patch(path, 'merge', { spec: { rollbackTo: null, template } });
  return await answer;
}

test('an undo is done once the template is that of the revision', async () => {
  const answer = await undone({ spec: { class: { name: 'tiny' } } });
  expect(answer).toMatchObject({ exitCode: 0, data: { isDone: true } });
  expect(answer.text).toBe('machinedeployment/workers rolled back to revision 1');
});

test('an undo that a worker refused, or another client took away, is not done', async () => {
  const answer = await undone({});
  expect(answer).toMatchObject({ exitCode: 1, data: { isDone: false } });
  expect(answer.text).toMatch(/is not back at revision 1: .* -n shoot describe machinedeployment/);
});

test.each([
  ['is out of reach', { code: 503, reason: 'ServiceUnavailable' }],
  ['refuses to be read', { code: 403, reason: 'Forbidden' }],
])('an undo whose API server %s after the write says that it is asked for', async (_, answer) => {
  const place = aPlace();
  let isAsked = false;
  place.kube.fault = ({ method }) => {
    if (isAsked) return answer;
    isAsked = method === 'PATCH';
    return undefined;
  };
  const failure = await undo(place, { ...asked, toRevision: 1 }).catch(String);
  expect(failure).toMatch(/workers is asked to go back to revision 1, and what comes of it is not/);
  expect(failure).not.toContain('nothing was done');
  expect(place.kube.writes()).toContain(`PATCH ${path}`);
});

test('the history names class, cause and machines of each revision', async () => {
  const { text } = await history(aPlace(), asked);
  expect(text.split('\n')).toEqual([
    'machinedeployment/workers',
    'REVISION   CLASS   MACHINESET   REPLICAS   CHANGE-CAUSE',
    '1          tiny    one          1          because of 1',
    '2          small   two          1          because of 2',
  ]);
  const one = await history(aPlace(), { ...asked, revision: 1 });
  expect(one.text).toContain('name: tiny');
  await expect(history(aPlace(), { ...asked, revision: 9 })).rejects.toThrow('known are 1, 2');
});

test.each([
  [['status', 'mcd/pool'], { name: 'pool', watch: true, timeout: 0 }],
  [['status', 'mcd/pool', '--watch=false', '--timeout=1m30s'], { watch: false, timeout: 90 }],
  [['undo', 'mcd', 'pool', '--to-revision=3'], { name: 'pool', toRevision: 3 }],
  [['restart', 'machinedeployment/pool', '-n', 'shoot'], { namespace: 'shoot' }],
  [
    ['now', 'mcd/pool', '--for=168h', '--reason=a hole'],
    { name: 'pool', for: 604_800, reason: 'a hole' },
  ],
])('millwright rollout %j is read', (words, expected) => {
  expect(readArguments(['rollout', ...words])).toMatchObject(expected);
});

test.each([
  [['status', 'mcd/pool', '--timeout=soon'], 'durations such as'],
  [['status', 'machine/pool'], 'is no kind for this command'],
  [['undo', 'mcd/pool', '--to-revision=-1'], 'whole revisions'],
  [['now', 'mcd/pool', '--for=4h'], "required option '--reason <text>'"],
  [['now', 'mcd/pool', '--reason=x'], "required option '--for <duration>'"],
  [['now', 'mcd/pool', '--for=0s', '--reason=x'], 'durations of 168h at most'],
  [['now', 'mcd/pool', '--for=169h', '--reason=x'], 'durations of 168h at most'],
  [['now', 'mcd/pool', '--for=4h', '--reason='], 'must be a text of one line'],
  [['pause'], "missing required argument 'kind/name'"],
])('millwright rollout %j is refused', (words, message) => {
  expect(() => readArguments(['rollout', ...words])).toThrow(message);
});
