/** Checks that refusals of bad input lead to the field. */
import { customResource } from '../../../../kube/client/paths.ts';
import { apiVersion } from '../../../../workflows/api/constants.ts';
import type { MachineFailure } from '../../../../workflows/plan/machine/facts.ts';
import type { Trial } from '../trial.ts';
import type { Output } from '../driver-under-test.ts';
import { expectPart, Mismatch, Skipped } from '../verdict.ts';
import { notInMcm } from '../contract.ts';
import type { Check } from './check.ts';

export const validationCheck: Check = {
  says: 'finds nothing wrong with the class',
  async run(trial) {
    const { namespace } = trial.parts;
    const came = await trial.driver.ask('validateClass', {
      namespace,
      className: trial.className,
    });
    expectPart('outcome validated, no faults', came, { outcome: 'validated', faults: [] });
  },
};

export const badInputChecks: Check[] = [
  {
    says: 'a class that does not exist: InvalidArgument, with its name',
    async run(trial) {
      const className = `${trial.parts.run}-missing`;
      const { request } = trial.newMachine(className);
      const came = await trial.driver.ask('createInstance', request);
      // Without a search nothing is settled: an earlier attempt may have made the instance.
      expectRefused(came, className, false);
      const { namespace } = trial.parts;
      const validated = await trial.driver.ask('validateClass', { namespace, className });
      expectRefused(validated, className, false);
    },
  },
  {
    says: 'a providerID of another form: InvalidArgument, or nothing found',
    async run(trial) {
      const { request } = trial.newMachine();
      const question = { ...request, providerID: 'no such form' };
      const came = await trial.driver.ask('describeInstance', question);
      if (came.outcome === 'missing') return;
      expectPart('InvalidArgument, or missing', came, { failure: { code: 'InvalidArgument' } });
    },
  },
  {
    says: 'volumes of other storage drivers, and none',
    async run({ driver }) {
      const volumes = [{ csi: { driver: 'unknown.verify.millwright.dev', volumeHandle: 'v-1' } }];
      const none = { volumeIds: [] };
      expectPart('no ids', await driver.ask('volumeIds', { volumes }), none);
      expectPart('no ids', await driver.ask('volumeIds', { volumes: [] }), none);
    },
  },
];

/** One for each wrong spec. */
export function badSpecChecks(trial: Trial): Check[] {
  const { machineClass, badSpecs } = trial.parts;
  return badSpecsOf(machineClass.providerSpec, badSpecs).map((bad) => ({
    says: `a class with ${bad.field}: ${JSON.stringify(bad.value)}: InvalidArgument, with the field, settled if it can be searched for`,
    run: (current) => tryBadSpec(current, bad),
  }));
}

async function tryBadSpec(trial: Trial, { field, providerSpec }: BadSpec): Promise<void> {
  const className = await makeClass(trial, providerSpec);
  const { namespace } = trial.parts;
  const seen = await trial.driver.ask('validateClass', { namespace, className });
  const isValidated =
    trial.parts.contract !== 'mcm' || seen.outcome === 'failed' || seen.faults.length > 0;
  if (isValidated) expectFault(seen, field);
  const { request } = trial.newMachine(className);
  const came = await trial.driver.ask('createInstance', request);
  // A field such as the region says where to search. Without a search nothing is settled.
  const listed = await trial.driver.ask('listInstances', { ...trial.listRequest(), className });
  expectRefused(came, field, listed.outcome === 'listed');
  if (!isValidated) throw new Skipped(`the create refused it. ${notInMcm.validation}`);
}

type Validation = Output<'validateClass'>;

function expectFault(seen: Validation, field: string): void {
  if (seen.outcome === 'validated' && seen.faults.some((fault) => fault.includes(field))) return;
  throw new Mismatch(`a fault that names ${field}, from validateClass`, seen);
}

async function makeClass(trial: Trial, providerSpec: unknown): Promise<string> {
  const { kube, namespace, machineClass, run } = trial.parts;
  const name = `${run}-class-${trial.classNames.length + 1}`;
  const { provider, secretRef, credentialsSecretRef } = machineClass;
  trial.classNames.push(name);
  await kube.create(customResource('machineclasses', namespace), {
    apiVersion,
    kind: 'MachineClass',
    metadata: { name, namespace },
    provider,
    providerSpec,
    ...(secretRef && { secretRef }),
    ...(credentialsSecretRef && { credentialsSecretRef }),
  });
  return name;
}

function expectRefused(
  came: { outcome: string; failure?: MachineFailure | undefined },
  word: string,
  mustSettle: boolean,
): void {
  expectPart(`a ${mustSettle ? 'settled ' : ''}failure InvalidArgument`, came, {
    outcome: 'failed',
    failure: { code: 'InvalidArgument', ...(mustSettle && { isSettled: true }) },
  });
  const { message = '' } = came.failure ?? {};
  if (!message.includes(word)) throw new Mismatch(`a message that names ${word}`, message);
}

interface BadSpec {
  /** Top-level; it has to stand in the driver's words. */
  field: string;
  value: unknown;
  providerSpec: unknown;
}

/** A class with many fields is not tried with all of them. */
const fieldsMax = 5;

/**
 * Specs that a driver must refuse: one field of a good spec with a value of another type, and those
 * that a person names.
 */
export function badSpecsOf(good: unknown, named: readonly Record<string, unknown>[]): BadSpec[] {
  const spec: Record<string, unknown> = { ...Object(good) };
  const ofFields = Object.entries(spec)
    .filter(([, value]) => value !== null && value !== undefined)
    .slice(0, fieldsMax)
    .map(([field, value]) => ({
      [field]: typeof value === 'object' ? 'verify' : { verify: true },
    }));
  return [...ofFields, ...named].flatMap((change) => {
    const [first] = Object.entries(change);
    if (!first) return [];
    const [field, value] = first;
    return [{ field, value, providerSpec: { ...spec, ...change } }];
  });
}
