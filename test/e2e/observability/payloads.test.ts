/** Payloads that Temporal cannot read, and those who can: keys, codec server, old and new ones. */
import type { Server } from 'node:http';
import type { Payload } from '@temporalio/common';
import { payloadsIn, payloadsText } from '../../../cli/codec-server/server.ts';
import { startCodecServer } from '../../../cli/codec-server/server.ts';
import { offboard } from '../../../cli/offboard/offboard.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { writePayloadKeys } from '../support/payload-keys.ts';
import { untilStopIsKnown } from '../support/probes.ts';
import { failureTextsOf, payloadsOf } from '../support/payloads.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const keys = writePayloadKeys('first', 'second');
const scenario = useScenario('payloads', { payloadKeys: keys.path, isDoubled: false });
const { cluster, namespace, workflows, operator } = scenario;
let codec: { server: Server; url: string };

beforeAll(async () => {
  codec = await startCodecServer({
    payloadKeys: keys.path,
    address: '127.0.0.1',
    port: 0,
    origins: [],
    tokenFile: undefined,
  });
});
afterAll(() => {
  codec.server.close();
  keys.remove();
});

const fieldOf = ({ metadata }: Payload, field: string): string =>
  Buffer.from(metadata?.[field] ?? []).toString('utf8');
const isEncrypted = (payload: Payload): boolean =>
  fieldOf(payload, 'encoding') === 'binary/encrypted';
const textOf = ({ data }: Payload): string => Buffer.from(data ?? []).toString('latin1');
/**
 * What the SDK notes of each local activity and each patch, past all codecs, and the memo, which
 * stays plain.
 */
const plainNote =
  /^\{"seq":\d+,"attempt":\d+,"activity_id":"\d+","activity_type":"\w+",[^a-z]*"complete_time"|^\{"id":"[a-z-]+","deprecated":false\}$|^4$/;
const keyOf = (payload: Payload): string => fieldOf(payload, 'encryption-key-id');

async function decoded(payloads: Payload[]): Promise<string[]> {
  const body = payloadsText(payloads);
  const answer = await fetch(`${codec.url}/decode`, { method: 'POST', body });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  return payloadsIn(text).map(({ data }) => Buffer.from(data ?? []).toString('utf8'));
}

test('a machine lives and dies, and no payload of its history holds its name', async () => {
  const name = await createMachine(scenario, 'sealed');
  await untilPhase(scenario, name, 'Running');
  await deleteMachine(scenario, name);
  const payloads = payloadsOf(await workflows.historyOf('machine', name));
  expect(payloads.length).toBeGreaterThan(10);
  for (const payload of payloads) expect(textOf(payload)).not.toContain(name);
  for (const plain of payloads.filter((payload) => !isEncrypted(payload))) {
    expect(textOf(plain)).toMatch(plainNote);
  }
  const texts = await decoded(payloads);
  expect(texts.some((text) => text.includes(name))).toBe(true);
  expect(texts.some((text) => text.includes('providerID'))).toBe(true);
});

test('what an activity fails with is in clear for those with the key alone', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const stop = { metadata: { name: 'millwright-stop' }, data: { reason: 'wrong disks' } };
  await cluster.kube.create(path, stop);
  await untilStopIsKnown(scenario);
  const name = await createMachine(scenario, 'stopped');
  const { raw } = await eventually('its create waits', async () => {
    const description = await workflows.handleOf('machine', name).describe();
    expect(description.raw.pendingActivities?.[0]?.lastFailure).toBeTruthy();
    return description;
  });
  const failure = raw.pendingActivities?.[0]?.lastFailure;
  expect(failureTextsOf(failure)).toEqual(['Encoded failure']);
  expect((await decoded([failure?.encodedAttributes ?? {}])).join()).toContain('wrong disks');
  await cluster.delete(`${path}/millwright-stop`);
  await untilPhase(scenario, name, 'Running');
  await deleteMachine(scenario, name);
});

test('what workflow code fails with is so as well', async () => {
  const workflowId = `${namespace}-senseless`;
  const taskQueue = await scenario.taskQueue();
  const run = await workflows.start('machine', {
    workflowId,
    taskQueue,
    args: [{ ref: 'canary' }],
  });
  await expect(run.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('the input makes no sense') },
  });
  const failures = failureTextsOf(await run.fetchHistory());
  expect(new Set(failures)).toEqual(new Set(['Encoded failure']));
});

test.each(['orphans', 'all'])('the schedule %s holds nothing in clear either', async (check) => {
  const { raw } = await workflows.scheduleOf(check).describe();
  const input = payloadsOf(raw.schedule?.action?.startWorkflow?.input);
  expect(input.map(isEncrypted)).toEqual([true]);
});

test('a run goes on under a new key, and the old one reads what stands in its history', async () => {
  const name = await createMachine(scenario, 'rotated');
  await untilPhase(scenario, name, 'Running');
  keys.use('second');
  // As they do by themselves within 70 s of the change.
  for (const program of ['watcher', 'worker'] as const) {
    await operator.retire(program);
    operator.startAgain(program);
  }
  await deleteMachine(scenario, name);
  const payloads = payloadsOf(await workflows.historyOf('machine', name));
  const ids = payloads.filter(isEncrypted).map(keyOf);
  expect(new Set(ids)).toEqual(new Set(['first', 'second']));
});

test('offboard reads what the Schedules hold with the keys, and fails without them', async () => {
  const asked = {
    command: 'offboard',
    namespace,
    install: undefined,
    clusterId: undefined,
    clusterName: undefined,
    leaseNamespace: undefined,
    keepsMachines: false,
    isConfirmed: false,
    temporalAddress: testStack().temporalAddress,
    temporalNamespace: '',
    kubeconfig: '',
    isJson: false,
  } as const;
  const place = { kube: cluster.kube, namespace };
  await operator.retire('watcher');
  await operator.retire('worker');
  await expect(offboard(place, { ...asked, payloadKeys: '' })).rejects.toThrow('encoding');
  const { text } = await offboard(place, { ...asked, payloadKeys: keys.path });
  // Those of five checks, and that of the rounds.
  expect(text.match(/^found schedule /gm)).toHaveLength(6);
  operator.startAgain('watcher');
  operator.startAgain('worker');
});
