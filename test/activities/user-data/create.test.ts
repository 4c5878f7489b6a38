import { gunzipSync } from 'node:zlib';
import {
  DriverError,
  type CreatedInstance,
  type CreateRequest,
} from '../../../activities/drivers/driver.ts';
import { createDriverActivities } from '../../../activities/instance.ts';
import { readAndClaimMachine } from '../../../activities/machine/read-and-claim.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { DriverRequest } from '../../../workflows/contracts/driver-contract.ts';
import { aMachine, aMachineClass, aSecret, base64 } from '../../support/builders.ts';
import { refusingDriver } from '../../support/refusing-driver.ts';
import { aWorld, lifeOf } from '../../support/world.ts';
import { aPipeline } from '../../workers/drivers/a-pipeline.ts';
import { aConfigMap, anAskingClass, config } from './class-world.ts';
import { driverRequest as request } from '../../support/driver-request.ts';

interface Served {
  create?: (sent: CreateRequest) => Promise<CreatedInstance>;
  printed?: () => string;
}

const made = { providerID: 'local:///z/i', nodeName: 'pool-a', isInitialized: true, found: false };

function aServedWorld(
  control: object[],
  { create = async () => made, printed = () => '' }: Served = {},
) {
  const asked: CreateRequest[] = [];
  const driver = aPipeline(
    refusingDriver('not asked for in this test', {
      createInstance: async (sent) => {
        asked.push(sent);
        return await create(sent);
      },
      getConsoleOutput: async () => printed(),
    }),
  );
  const view = {
    signal: () => new AbortController().signal,
    isShuttingDown: () => false,
    isFirstAttempt: () => true,
    guard: async () => undefined,
  };
  const objects = { control: [aMachine(), ...control], hasDriver: async () => true };
  const world = { ...aWorld(objects), driver, ...view };
  return { world, asked, steps: createDriverActivities(world) };
}

type World = ReturnType<typeof aServedWorld>['world'];

/** As the core asks for it. */
async function requested(world: World): Promise<DriverRequest> {
  const read = await readAndClaimMachine(world, { machine: lifeOf('pool-a'), isRetry: true });
  if (!read.found || read.failure) throw new Error(JSON.stringify(read));
  const { bootstrapTokenId, provider = '' } = read.machine;
  return { ...request, provider, ...(bootstrapTokenId !== undefined && { bootstrapTokenId }) };
}

/** The whole text, also where it is packed. */
function textOf({ userData, userDataBytes }: CreateRequest): string {
  return userDataBytes ? gunzipSync(userDataBytes).toString() : userData;
}

function onlyOf<T>(list: readonly T[]): T {
  const [only, ...more] = list;
  if (only === undefined || more.length > 0) throw new Error(`${list.length} instead of one`);
  return only;
}

test('a class without secretRef creates a machine with user data that were rendered for it', async () => {
  const objects = [anAskingClass({}, { secretRef: {} }), aConfigMap()];
  const { world, asked, steps } = aServedWorld(objects);
  const ofMachine = await requested(world);
  expect(await steps.createInstance(ofMachine)).toEqual({
    outcome: 'created',
    instance: {
      providerID: 'local:///z/i',
      nodeName: 'pool-a',
      isFound: false,
      userDataOrigin: expect.stringMatching(/^ubuntu-24\.04@\S+ sha256:[0-9a-f]+$/),
    },
  });
  const text = textOf(onlyOf(asked));
  expect(text).toContain('pool-a');
  expect(text).toMatch(new RegExp(`${ofMachine.bootstrapTokenId}\\.[a-z0-9]{16}`));
});

test('a retry sends the same bytes', async () => {
  const { world, asked, steps } = aServedWorld([anAskingClass(), aConfigMap(), aSecret()]);
  const ofMachine = await requested(world);
  await steps.createInstance(ofMachine);
  await steps.createInstance({ ...(await requested(world)), isRetry: true });
  const [first, second] = asked;
  expect(first && textOf(first)).toBe(second && textOf(second));
});

test('an instance that is there needs no user data, so a create finds it without', async () => {
  const { world, asked, steps } = aServedWorld([anAskingClass({}, { secretRef: {} })]);
  const born = { ...request, providerID: 'local:///z/i' };
  expect(await steps.createInstance(born)).toMatchObject({ outcome: 'created' });
  expect(onlyOf(asked)).toMatchObject({ userData: '' });
  expect(world.control.calls.filter((call) => call.includes('configmaps'))).toEqual([]);
});

test.each<[string, object[], object]>([
  [
    'that was made before the class asked for it has no token yet',
    [aConfigMap()],
    { code: 'Unavailable', message: expect.stringContaining('has no bootstrap token yet') },
  ],
  [
    'whose class has become wrong is not made',
    [],
    { code: 'InvalidArgument', kind: 'input', message: expect.stringContaining('does not exist') },
  ],
])('a machine %s', async (_name, objects, failure) => {
  const { steps } = aServedWorld([anAskingClass({}, { secretRef: {} }), ...objects]);
  expect(await steps.createInstance(request)).toMatchObject({
    outcome: 'failed',
    failure: { ...failure, isUnsent: true },
  });
});

describe('what operating-system-manager made', () => {
  const name = 'workers-shoot-bootstrap-config';
  const source = { [annotations.userData]: `Secret/cloud-init-settings/${name}` };
  const machineClass = aMachineClass({ metadata: { annotations: source }, secretRef: {} });
  const place = { name, namespace: 'cloud-init-settings' };
  const cloudConfig = aSecret(
    { 'cloud-config': '#cloud-config\nhostname: <MACHINE_NAME>\n' },
    place,
  );

  test('is sent as it is, but for the name, and needs no bootstrap token', async () => {
    const { world, asked, steps } = aServedWorld([machineClass, cloudConfig]);
    const ofMachine = await requested(world);
    expect(ofMachine).not.toHaveProperty('bootstrapTokenId');
    const answer = await steps.createInstance(ofMachine);
    expect(answer.outcome).toBe('created');
    expect(answer).not.toHaveProperty('instance.userDataOrigin');
    expect(onlyOf(asked).userData).toBe('#cloud-config\nhostname: pool-a\n');
  });

  test('is waited for, with a reason', async () => {
    const { steps } = aServedWorld([machineClass]);
    expect(await steps.createInstance(request)).toMatchObject({
      outcome: 'failed',
      failure: {
        code: 'Unavailable',
        message: expect.stringContaining('operating-system-manager'),
      },
    });
  });

  test('that must not be read says what grants it', async () => {
    const { world, steps } = aServedWorld([machineClass, cloudConfig]);
    world.control.fault = ({ path }) =>
      path.includes('cloud-init-settings') ? { code: 403, reason: 'Forbidden' } : undefined;
    expect(await steps.createInstance(request)).toMatchObject({
      outcome: 'failed',
      failure: {
        code: 'InvalidArgument',
        message: expect.stringContaining('userData.operatingSystemManager'),
      },
    });
  });
});

describe('what is secret in user data', () => {
  const canary = 'canary-7f3a91 in the user data';
  const many = Array.from({ length: 400 }, (_, index) => `line ${index} of a file`).join('\n');
  const objects = (provider: string): object[] => [
    anAskingClass({}, { provider, secretRef: {} }),
    aConfigMap({
      ...config,
      registries: [{ host: 'docker.io', credentialsSecret: 'pull' }],
      files: [
        { path: '/etc/canary', secret: { name: 'pull', key: 'canary' } },
        { path: '/etc/many', content: many },
      ],
    }),
    aSecret({ username: 'robot', password: 'correct-horse-7', canary }, { name: 'pull' }),
  ];

  /** As a cloud or a console may repeat them. */
  function formsOf(sent: CreateRequest): string[] {
    const token = /[a-z0-9]{6}\.[a-z0-9]{16}/.exec(textOf(sent))?.[0] ?? 'no token';
    const plain = [token, 'correct-horse-7', 'robot:correct-horse-7', canary];
    const packed = sent.userDataBytes ? [Buffer.from(sent.userDataBytes).toString('base64')] : [];
    return [...plain, ...plain.map(base64), base64(textOf(sent)), ...packed];
  }

  test.each(['virtual', 'AWS'])('is in no error and no console output: %s', async (provider) => {
    let repeated = '';
    const { world, asked, steps } = aServedWorld(objects(provider), {
      printed: () => `${repeated}\nline 3 of a file`,
      create: async () => {
        if (repeated === '') return made;
        const message = `refused: ${repeated}, line 3 of a file`;
        throw new DriverError({ code: 'InvalidArgument', message, settled: true });
      },
    });
    const ofMachine = await requested(world);
    await steps.createInstance(ofMachine);
    const sent = onlyOf(asked);
    expect(sent.userDataBytes === undefined).toBe(provider !== 'AWS');
    expect(textOf(sent)).toContain('line 399 of a file');
    const forms = formsOf(sent);
    repeated = [...forms, textOf(sent)].join('\n - ');
    const secret = [...forms, ...forms.map((form) => form.replace(/=+$/, ''))];
    const answers = [
      await steps.createInstance(ofMachine),
      await steps.getConsoleOutput(ofMachine),
    ];
    expect(answers.map(({ outcome }) => outcome)).toEqual(['failed', 'read']);
    // What is no secret stays.
    expect(JSON.stringify(answers[1])).toContain('line 3 of a file');
    for (const answer of answers) {
      const text = JSON.stringify(answer);
      expect(secret.filter((form) => text.includes(form))).toEqual([]);
    }
  });

  test('makes a console that cannot be cleaned of it not kept', async () => {
    const { steps } = aServedWorld([anAskingClass({}, { secretRef: {} })]);
    expect(await steps.getConsoleOutput(request)).toMatchObject({
      outcome: 'failed',
      failure: {
        code: 'FailedPrecondition',
        message: expect.stringMatching(/^the console is not kept, .* does not exist/),
      },
    });
  });
});
