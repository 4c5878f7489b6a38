/** What a command on a machine says before it does anything. */
import { eventually } from '../../support/eventually.ts';
import { act } from '../../../cli/act/act.ts';
import type { ActOptions } from '../../../cli/act/act.ts';
import { preserve } from '../../../cli/preserve/preserve.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { signed } from '../../../cli/act/act.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { ReviewingClient } from '../../support/api-server/reviewing-client.ts';
import { readArguments } from '../../support/command-line.ts';
import { aMachine, aNode, aPod } from '../../support/builders.ts';

const path = '/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot/machines/pool-a';
const going = { deletionTimestamp: '2026-01-01T01:00:00Z', labels: { [labels.node]: 'pool-a' } };
const blocked = {
  lastOperation: { state: 'Failed', description: 'Drain failed due to - 1 pod' },
} as const;

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } } },
};

function aPlace(changes: Parameters<typeof aMachine>[0] = { metadata: going, status: blocked }) {
  const pod = aPod({ metadata: { labels: { app: 'web' } } });
  return { kube: new ReviewingClient(aMachine(changes), pod, budget), namespace: 'shoot' };
}

const ask = (verb: 'skipDrain' | 'forceDelete' | 'retryNow'): ActOptions => ({
  name: 'pool-a',
  command: { verb },
});

test('without --yes it says which pods are killed past which budget, and does nothing', async () => {
  const place = aPlace();
  const { text, exitCode, data } = await act(place, ask('skipDrain'));
  expect(exitCode).toBe(1);
  expect(text).toContain('Drain failed due to - 1 pod');
  expect(text).toContain('pod default/web-0. They are killed without a grace period');
  expect(text).toContain('without waiting for PodDisruptionBudget default/web');
  expect(text).toContain('Nothing was done. Say --yes to do it.');
  expect(data).toMatchObject({ isDone: false, pods: ['default/web-0'], budgets: ['default/web'] });
  expect(place.kube.writes()).toEqual([]);
});

test('in a cluster without its Node no pods are counted, and it names the option', async () => {
  const kube = new ReviewingClient(aMachine({ metadata: going, status: blocked }));
  const { text, data } = await act({ kube, namespace: 'shoot' }, ask('skipDrain'));
  expect(text).not.toContain('no pod is left');
  expect(text).toContain('there is no Node pool-a in this cluster');
  expect(text).toContain('--target-kubeconfig');
  expect(data).toMatchObject({ pods: null });
  kube.put(aNode());
  const there = await act({ kube, namespace: 'shoot' }, ask('skipDrain'));
  expect(there.text).toContain('no pod is left that has to leave');
});

test('without the right to patch the Machine it names it, and does nothing', async () => {
  const place = aPlace();
  place.kube.refused.add('patch machines');
  const asked = { ...ask('forceDelete'), yes: true };
  await expect(act(place, asked)).rejects.toThrow('patch machines.machine.sapcloud.io in shoot');
  expect(place.kube.writes()).toEqual([]);
});

test.each([
  {
    name: 'a machine that runs',
    changes: { phase: 'Running' },
    verb: 'skipDrain',
    message: 'delete it first, kubectl -n shoot delete machine pool-a',
  },
  {
    name: 'a drain that is over',
    changes: {
      metadata: going,
      status: { lastOperation: { description: 'Drain successful. Initiate VM deletion' } },
    },
    verb: 'forceDelete',
    message: 'its drain is not going on: Drain successful',
  },
  {
    name: 'one without trouble',
    changes: { phase: 'Running' },
    verb: 'retryNow',
    message: 'waits for nothing',
  },
] as const)('$name refuses it in words', async ({ changes, verb, message }) => {
  const place = aPlace(changes);
  await expect(act(place, { ...ask(verb), yes: true })).rejects.toThrow(message);
  expect(place.kube.writes()).toEqual([]);
});

test('a failed creation can be tried again', async () => {
  const lastOperation = { state: 'Failed', description: 'out of quota' } as const;
  const { text } = await act(aPlace({ status: { lastOperation } }), ask('retryNow'));
  expect(text).toContain('try at once what failed');
});

/** `second`: what is read back is the command of another person, which no worker has taken. */
async function answerWith(second: string, eventReason?: string) {
  const place = aPlace();
  place.kube.fault = ({ method }) => {
    if (method === 'PATCH') place.kube.fault = () => takenOver();
    return undefined;
  };
  function takenOver(): undefined {
    const notes = { [annotations.command]: second };
    place.kube.put(aMachine({ metadata: { ...going, annotations: notes }, status: blocked }));
    if (eventReason !== undefined) place.kube.put(anEvent(eventReason));
  }
  const clock = jest.spyOn(performance, 'now');
  for (const at of [0, 0, 60_000]) clock.mockReturnValueOnce(at);
  const answer = await act(place, { ...ask('retryNow'), yes: true });
  clock.mockRestore();
  return answer;
}

const anEvent = (reason: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'one', namespace: 'shoot' },
  involvedObject: { uid: aMachine().metadata.uid },
  reason,
  message: 'Tried again at once',
});

test('a command that another one replaced before a worker took it is not done', async () => {
  const { text, exitCode } = await answerWith('skipDrain by=eve');
  expect(exitCode).toBe(1);
  expect(text).toContain(
    '"skipDrain by=eve" was written in the place of "retryNow ifGeneration=1"',
  );
});

test('one that was taken before the next one came is done', async () => {
  const { text, exitCode } = await answerWith('skipDrain by=eve', 'RetryNow');
  expect(exitCode).toBe(0);
  expect(text).toMatch(/Done: Tried again at once$/);
});

test('an API server that does not answer after the write does not pass for nothing done', async () => {
  const place = aPlace();
  place.kube.fault = ({ method }) => {
    if (method === 'PATCH') place.kube.fault = () => ({ code: 500, reason: 'InternalError' });
    return undefined;
  };
  await expect(act(place, { ...ask('retryNow'), yes: true })).rejects.toThrow(
    /^"retryNow ifGeneration=1" stands on machine\/pool-a, and what comes of it is not known: .*InternalError/,
  );
});

test('escape sequences and lines of a cloud do not reach the terminal of the consent', async () => {
  const lastOperation = {
    state: 'Failed',
    description: 'no\nmillwright will: do nothing\u001B[8m',
  } as const;
  const { text } = await act(
    aPlace({ metadata: going, status: { lastOperation } }),
    ask('skipDrain'),
  );
  expect(text.match(/^millwright will: /gm)).toHaveLength(1);
  expect(text).not.toContain('\u001B');
});

test('a command that no worker has taken yet, and that goes, is said', async () => {
  const annotated = { ...going, annotations: { [annotations.command]: 'extendDrain minutes=30' } };
  const place = aPlace({ metadata: annotated, status: blocked });
  const { text, data } = await act(place, ask('retryNow'));
  expect(text).toContain('It takes the place of "extendDrain minutes=30", which no worker');
  expect(data).toMatchObject({ replaces: 'extendDrain minutes=30' });
});

test('a name of a caller that is too long is left out', () => {
  expect(signed('pause', 'ada')).toBe('pause by=ada');
  expect(signed('pause', undefined)).toBe('pause');
  expect(signed('pause', 'a'.repeat(300))).toBe('pause');
});

const kept = { object: { kind: 'machine', name: 'pool-a' }, value: 'now' } as const;

test('a preservation says what becomes of the machine, and is the annotation', async () => {
  const place = aPlace({ phase: 'Failed' });
  const asked = await preserve(place, kept);
  expect(asked).toMatchObject({ exitCode: 1 });
  expect(asked.text).toContain('its pods are drained with their budgets');
  expect(place.kube.writes()).toEqual([]);
  await preserve(place, { ...kept, yes: true });
  const { metadata } = await place.kube.read<Machine>(path);
  expect(metadata.annotations).toEqual({ [annotations.preserve]: 'now' });
});

test.each(['machine', 'node'] as const)(
  'a %s that another has replaced is left alone',
  async (kind) => {
    const of = (uid: string) =>
      kind === 'node'
        ? aNode({ metadata: { name: 'pool-a', uid } })
        : aMachine({ metadata: { uid } });
    const place = aPlace();
    place.kube.put(of('first'));
    place.kube.fault = ({ method }) => {
      if (method === 'PATCH') place.kube.put(of('second'));
      return undefined;
    };
    const asked = { object: { kind, name: 'pool-a' }, value: 'now', yes: true } as const;
    const words = `nothing was done: ${kind}/pool-a is another object of the same name by now`;
    await expect(preserve(place, asked)).rejects.toThrow(words);
    const { metadata } = await place.kube.read<Machine>(
      kind === 'node' ? '/api/v1/nodes/pool-a' : path,
    );
    expect(metadata.annotations ?? {}).not.toHaveProperty([annotations.preserve]);
  },
);

test.each([
  { who: 'may not list the Machines', code: 403, reason: 'Forbidden' },
  { who: 'is in a cluster without Machines, as that of a shoot', code: 404, reason: 'HTTP404' },
])('a person who $who can keep a Node', async ({ code, reason }) => {
  const kube = new ReviewingClient(aNode());
  kube.fault = ({ path: at }) => (at.endsWith('/machines') ? { code, reason } : undefined);
  const object = { kind: 'node', name: 'pool-a' } as const;
  const place = { kube, namespace: 'default' };
  const { text, data } = await preserve(place, { object, value: 'now', yes: true });
  expect(text).toContain('node/pool-a now: of a phase that is not known here');
  expect(data).toMatchObject({ isDone: true, machine: null });
  const { metadata } = await kube.read<KubeObject>('/api/v1/nodes/pool-a');
  expect(metadata.annotations).toMatchObject({ [annotations.preserve]: 'now' });
});

test('a machine that is deleted before a person says yes is not preserved', async () => {
  const place = aPlace({ phase: 'Running' });
  let isGone = false;
  place.kube.fault = ({ method }) => {
    isGone ||= method === 'PATCH';
    return isGone ? { code: 404, reason: 'NotFound' } : undefined;
  };
  const words = 'nothing was done: machine/pool-a is gone by now';
  await expect(preserve(place, { ...kept, yes: true })).rejects.toThrow(words);
});

const until = Date.parse('2999-01-01T00:00:00Z');

/** As it is once a worker preserves it. */
const preserved = (uid: string) => {
  const currentStatus = { phase: 'Running', preserveExpiryTime: '2036-12-01T12:00:00Z' } as const;
  return aMachine({ metadata: { uid }, status: { currentStatus } });
};

test('an end is written also where a worker writes at the same time', async () => {
  const place = aPlace({ phase: 'Running', metadata: { uid: 'first' } });
  let isWritten = false;
  place.kube.fault = ({ method, path: at }) => {
    if (method !== 'PATCH' || !at.endsWith('/status') || isWritten) return undefined;
    isWritten = true;
    place.kube.put(preserved('first'));
    return undefined;
  };
  const asked = preserve(place, { ...kept, until, yes: true });
  await eventually('it is written', async () => place.kube.writes().includes(`PATCH ${path}`));
  place.kube.put(preserved('first'));
  expect((await asked).text).toContain('machine/pool-a is preserved until 2999-01-01T00:00:00Z');
  const { status } = await place.kube.read<Machine>(path);
  expect(status?.currentStatus?.preserveExpiryTime).toBe('2999-01-01T00:00:00Z');
});

test('an end is not written on another machine of the same name', async () => {
  const place = aPlace({ phase: 'Running', metadata: { uid: 'first' } });
  place.kube.fault = ({ method, path: at }) => {
    if (method === 'PATCH' && at.endsWith('/status')) place.kube.put(preserved('second'));
    return undefined;
  };
  const asked = preserve(place, { ...kept, until, yes: true });
  await eventually('it is written', async () => place.kube.writes().includes(`PATCH ${path}`));
  place.kube.put(preserved('first'));
  await expect(asked).rejects.toThrow('machine/pool-a was annotated, and is gone since');
  const { status } = await place.kube.read<Machine>(path);
  expect(status?.currentStatus?.preserveExpiryTime).toBe('2036-12-01T12:00:00Z');
});

test('an end that cannot be written leaves a machine of which it says that it is annotated', async () => {
  const place = aPlace({ phase: 'Running', metadata: { uid: 'first' } });
  let isAnnotated = false;
  place.kube.fault = ({ method }) => {
    if (isAnnotated) return { code: 503, reason: 'ServiceUnavailable' };
    isAnnotated = method === 'PATCH';
    return undefined;
  };
  const words = 'machine/pool-a is annotated, and its end is not set: ';
  await expect(preserve(place, { ...kept, until, yes: true })).rejects.toThrow(words);
  expect(place.kube.writes()).toContain(`PATCH ${path}`);
});

test('an end that no worker lets be written is not done', async () => {
  const place = aPlace({ phase: 'Running' });
  const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(60_000);
  const answer = await preserve(place, { ...kept, until, yes: true });
  clock.mockRestore();
  expect(answer).toMatchObject({ data: { isDone: false }, exitCode: 1 });
  expect(answer.text).toContain('no worker preserves it yet');
});

test('where the Node says otherwise, the Machine is not annotated', async () => {
  const notes = { [annotations.lastAppliedPreserve]: 'false' };
  const place = aPlace({ phase: 'Running', metadata: { annotations: notes } });
  await expect(preserve(place, { ...kept, yes: true })).rejects.toThrow(
    'millwright preserve node/pool-a -n shoot',
  );
});

test.each([
  [['skip-drain', 'machine/a', '--yes'], { name: 'a', yes: true, command: { verb: 'skipDrain' } }],
  [
    ['extend-drain', 'mc', 'a', '--minutes=30'],
    { name: 'a', command: { verb: 'extendDrain', minutes: 30 } },
  ],
  [
    ['preserve', 'node/n', '--value=false'],
    { object: { kind: 'node', name: 'n' }, value: 'false' },
  ],
])('%j is read', (words, expected) => {
  expect(readArguments(words)).toMatchObject(expected);
});

test.each([
  [['skip-drain', 'mcd/a'], 'is no kind for this command'],
  [['drain', 'machine/a', '-n', 'shoot'], 'kubectl -n shoot delete machine a'],
  [['drain', 'machine/a'], 'kubectl delete machine a'],
  [['extend-drain', 'machine/a'], "required option '--minutes <n>' not specified"],
  [['extend-drain', 'machine/a', '--minutes=0'], 'whole minutes from 1 to 10080'],
  [['preserve', 'machine/a', '--value=maybe'], 'Allowed choices are now, when-failed, false'],
  [['preserve', 'machine/a', '--until=2020-01-01T00:00:00Z'], 'times to come'],
  [['preserve', 'node/a', '--until=2999-01-01T00:00:00Z'], 'goes with machine/NAME'],
])('%j is refused', (words, message) => {
  expect(() => readArguments(words)).toThrow(message);
});
