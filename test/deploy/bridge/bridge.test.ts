/** deploy/bridge-mcm-driver with a driver of MCM's interface for the virtual cloud. */
import { DriverUnderTest } from '../../../cli/driver/conformance/driver-under-test.ts';
import type { Report } from '../../../cli/driver/conformance/report.ts';
import { verifyWith } from '../../../cli/driver/verify.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { BridgeWorld, provider, providerSpec, queue, secret } from './bridge-world.ts';

const world = new BridgeWorld();
beforeAll(() => world.start());
afterAll(() => world.stop());
afterEach(() => jest.restoreAllMocks());

const complaintsIn = ({ findings }: Report): string[] =>
  findings
    .filter(({ result }) => result === 'failed')
    .map(({ check, expected, came }) => `${check}: expected ${expected}, came ${came}`);

test('a bridged driver does everything that the kit asks of a driver of MCM', async () => {
  const print = jest.spyOn(console, 'log').mockReturnValue();
  const report = await verifyWith(world.asker, {
    scope: { kube: world.kube, namespace },
    options: {
      provider,
      queue,
      clusterId: 'cluster-1',
      contract: 'mcm',
      badSpecs: [{ size: 'huge' }, { tags: {} }],
      trouble: world.troubled.command,
    },
    subject: { machineClass: aMachineClass({ provider, providerSpec }), secret, secretFaults: [] },
    run: 'verify-bridge',
  });
  expect(complaintsIn(report)).toEqual([]);
  expect(await world.cloud.instances('')).toEqual([]);
  const printed = print.mock.calls.map(([line]) => String(line));
  // What its interface cannot say is left out, and is printed.
  expect(printed.filter((line) => line.includes('MCM tells its drivers'))).toEqual(
    [
      'skipped lists its own instances only: for another cluster it has none of these',
      'skipped deletes from a listing its own instances only: for another cluster it stays',
      'skipped creates nothing with a token that is spent: Aborted, settled',
    ].map((line) => expect.stringContaining(line)),
  );
  for (const claim of ['a cloud that never answers', 'an HTML page with status 404']) {
    expect(printed).toContainEqual(expect.stringMatching(new RegExp(`^ok +${claim}`)));
  }
  expect(world.logOf('bridge')).not.toContain('canary');
});

const aDriver = () => new DriverUnderTest(world.asker, { queue, cluster: 'cluster-1', namespace });

const request = (name: string) => ({
  machine: { namespace, name, uid: `uid-of-${name}` },
  cluster: 'cluster-1',
  className: 'small',
  provider,
  token: `uid-of-${name}-0`,
  isRetry: false,
});

/** The cloud takes the create, and keeps its answer for that long. */
async function makeSlow(name: string, seconds: number): Promise<void> {
  const fault = { operation: 'create', match: name, kind: 'loseAnswer', times: 1, seconds };
  await world.cloud.call('POST', '/faults', fault);
}

test('a bridge that dies in the middle of a create makes no second instance', async () => {
  const driver = aDriver();
  const asked = request('dies');
  await makeSlow('dies', 3_600);
  const restart = async (): Promise<void> => {
    await eventually('the cloud has made it', async () => {
      return (await world.cloud.instances('name=dies')).length === 1;
    });
    await world.killBridge();
    await world.startBridge();
  };
  // The call counts as dead without a heartbeat, and is given to the next process.
  const [came] = await Promise.all([driver.ask('createInstance', asked), restart()]);
  expect(came).toMatchObject({ outcome: 'created', instance: { nodeName: 'dies' } });
  expect(await world.cloud.instances('name=dies')).toHaveLength(1);
  const { body } = await world.cloud.call('GET', '/calls?match=dies');
  expect(body).toMatchObject({ createsPerName: { dies: 1 } });
  await driver.ask('deleteInstance', asked);
  expect(await world.cloud.instances('name=dies')).toEqual([]);
});

test('a create that is refused is settled once a search has found nothing', async () => {
  const driver = aDriver();
  await world.cloud.call('POST', '/faults', { kind: 'quota', match: 'refused', times: 1 });
  expect(await driver.ask('createInstance', request('refused'))).toMatchObject({
    outcome: 'failed',
    failure: { code: 'ResourceExhausted', isSettled: true },
  });
  const pending = driver.answers.map(({ answer }) => JSON.stringify(answer));
  expect(pending[0]).toContain('searches until');
});

test('a create whose answer was lost is found, and is initialised', async () => {
  const driver = aDriver();
  await makeSlow('lost', 0);
  const came = await driver.ask('createInstance', request('lost'));
  expect(came).toMatchObject({ outcome: 'created', instance: { isFound: true } });
  const { body } = await world.cloud.call('GET', '/instances?name=lost');
  expect(body).toMatchObject({ instances: [{ isInitialized: true }] });
  await driver.ask('deleteInstance', request('lost'));
});

test('nothing is made while everything is stopped, and it is no failure', async () => {
  const driver = aDriver();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const stop = { metadata: { name: 'millwright-stop' }, data: { reason: 'wrong disks' } };
  await world.kube.create(path, stop);
  await expect(driver.ask('createInstance', request('stopped'))).rejects.toThrow(
    'an answer of createInstance',
  );
  expect(driver.exceptions.join()).toContain(
    'stopped by ConfigMap shoot/millwright-stop: wrong disks',
  );
  await world.kube.delete(`${path}/millwright-stop`);
  expect(await world.cloud.instances('name=stopped')).toEqual([]);
});
