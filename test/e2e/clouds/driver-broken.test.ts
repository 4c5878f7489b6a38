/** The conformance kit finds what is wrong with a driver. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { DriverRequest } from '../../../workflows/contracts/driver-contract.ts';
import { createClass, createSecret } from '../support/classes.ts';
import { expectOnlyClasses, verifyDriver } from '../support/driver-verify.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { driverCalls } from '../../../workflows/contracts/driver-activities.ts';
import { driverQueueOf } from '../../../workflows/contracts/task-queues.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const password = 'hunter2-hunter2';

/** Its cloud is a list. Each of its faults is one that people have made. */
function brokenDriver() {
  let made = 0;
  return {
    /** Forgets tokens. */
    async createInstance({ machine, className }: DriverRequest) {
      if (className.includes('missing')) throw new TypeError('cannot read properties of undefined');
      made += 1;
      const instance = { providerID: `broken:///${made}`, nodeName: machine.name, isFound: false };
      return { outcome: 'created', instance };
    },
    /** A second deletion fails, with a code of its own making. */
    async deleteInstance({ providerID }: DriverRequest) {
      if (providerID === undefined) {
        return { outcome: 'deleted', isFound: true, settleSeconds: 0 };
      }
      const failure = { code: 'Gone', message: `401 for ${password}`, isSettled: true };
      return { outcome: 'failed', failure };
    },
    /** `settleSeconds` is missing. */
    describeInstance: async () => ({ outcome: 'missing' }),
    /** Finds nothing wrong. */
    validateClass: async () => ({ outcome: 'validated', faults: [] }),
    listInstances: async () => ({ outcome: 'listed', instances: [] }),
    deleteListed: async () => ({ outcome: 'deleted', isFound: true, settleSeconds: 0 }),
    volumeIds: async () => ({ volumeIds: [] }),
  };
}

describe('a driver that is broken', () => {
  const scenario = useScenario('broken');
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const connection = await NativeConnection.connect({ address: testStack().temporalAddress });
    const taskQueue = await scenario.taskQueue();
    const workers = await Promise.all(
      driverCalls.map((call) =>
        Worker.create({
          connection,
          taskQueue: driverQueueOf(taskQueue, 'broken', call),
          activities: brokenDriver(),
        }),
      ),
    );
    const running = workers.map((worker) => worker.run());
    stop = async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await connection.close();
    };
  });
  afterAll(() => stop());

  test('is told what is wrong, check by check', async () => {
    await createSecret(scenario, 'password', { userData: '', password });
    const providerSpec = { size: 'small' };
    await createClass(scenario, 'broken', {
      provider: 'broken',
      providerSpec,
      secret: 'password',
    });
    const { exitCode, report } = await verifyDriver(scenario, 'broken');
    expect(exitCode).toBe(1);
    const skipped = report.findings.find(({ check }) => check.includes('token that is spent'));
    expect(skipped).toMatchObject({
      result: 'skipped',
      reason: expect.stringContaining('remember'),
    });
    const failed = report.findings.filter(({ result }) => result === 'failed');
    const cameOf = (check: string) => failed.find((finding) => finding.check.startsWith(check));
    expect(failed.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'finds nothing before there is anything',
        'finds it by token or name',
        'creates again with the same token: the same instance',
        'two creates at once make one instance',
        'lists what was created, with the names of the machines',
        'deletes from a listing its own instances only: for another cluster it stays',
        'deletes an instance',
        'deletes it again: nothing there is a success',
        'creates nothing for a providerID that there is not: NotFound, settled',
        'a class that does not exist: InvalidArgument, with its name',
        'a class with size: {"verify":true}: InvalidArgument, with the field, settled if it can be searched for',
        'every answer is as the JSON schema says',
        'every failure has a code of the list, and a message',
        'whatever fails is an answer, and no exception',
        'no answer holds a value of the Secret',
      ]),
    );
    expect(cameOf('finds nothing before')?.came).toContain('settleSeconds');
    expect(cameOf('a class that does not exist')?.came).toContain('cannot read properties');
    expect(cameOf('every failure has')?.came).toContain('Gone');
    expect(cameOf('no answer holds')?.came).toBe('values of password');
    expect(report.findings).toContainEqual(
      expect.objectContaining({ check: 'finds nothing wrong with the class', result: 'ok' }),
    );
    expect(JSON.stringify(report)).not.toContain(password);
    await expectOnlyClasses(scenario, ['broken', 'small']);
  });
});
