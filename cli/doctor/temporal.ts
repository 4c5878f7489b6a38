/** Temporal: the server, our namespace in it, and who polls our queues. */
import type { Connection } from '@temporalio/client';
import { Client } from '@temporalio/client';
import { lease } from '../../kube/client/paths.ts';
import { ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Lease } from '../../kube/leases/observed-lease.ts';
import { checkNames, roundsName } from '../../workers/checks/checks.ts';
import type { Environment, TemporalSettings } from '../../workers/config/temporal.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import {
  commandsFor,
  searchAttributeFaults,
  typesMessage,
} from '../../workers/temporal/search-attributes.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { seesTemporal } from '../install/install.ts';
import { leaseFactsOf } from '../install/lease-facts.ts';
import { isOtherThan } from '../install/noted.ts';
import {
  isAddressOfWatcher,
  isTemporalKnown,
  temporalOptionsOf,
} from '../connection/temporal-options.ts';
import { orMissing, connectOrExplain, temporalSettingsOf } from '../connection/temporal.ts';
import { certificateResult, endOfServerCertificate } from './certificates.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import type { Check, DoctorResult } from './check.ts';
import { error, limitMs, ok, skipped, warning } from './check.ts';
import { queueChecks } from './queues.ts';
import type { Observed } from './observed.ts';

interface TemporalChecks {
  checks: Check[];
  close(): Promise<void>;
}

const names = ['Temporal namespace', 'search attributes', 'task queues', 'Schedules'];
const nothing = { close: () => Promise.resolve() };

/** Without a server, all that depends on it is skipped. */
export async function temporalChecks(
  observed: Observed,
  options: TemporalOptions,
  env: Environment,
): Promise<TemporalChecks> {
  const found = temporalOptionsOf(options, observed.flags, env);
  if (!isTemporalKnown(found, env)) {
    const message =
      'its address is not known: no option, no variable, no profile, and no watcher that says it; --temporal-address HOST:PORT does';
    return { ...nothing, checks: failing(skipped('Temporal', message)) };
  }
  let settings: TemporalSettings;
  try {
    settings = temporalSettingsOf(found, env);
  } catch (reason) {
    const result = error(
      'Temporal',
      reasonOf(reason),
      'correct the TEMPORAL_* variables or the profile',
    );
    return { ...nothing, checks: failing(result) };
  }
  try {
    const connection = await connectOrExplain(settings);
    return {
      checks: checksOf(observed, settings, connection),
      close: () => connection.close(),
    };
  } catch (reason) {
    const isOfWatcher = isAddressOfWatcher(options, found);
    const result =
      isOfWatcher && (await isReachedByWatcher(observed))
        ? skipped('Temporal', `${reasonOf(reason)}; ${otherWay}`)
        : unreached(settings, reasonOf(reason));
    return { ...nothing, checks: failing(result) };
  }
}

const otherWay =
  'the watcher, whose flags have this address, reaches it: --temporal-address names another way for this computer';

function unreached({ address }: TemporalSettings, why: string): DoctorResult {
  const repair = `temporal operator cluster health --address ${address}; name another server with --temporal-address`;
  return error('Temporal', why, repair);
}

/** False also where its Lease may not be read. */
async function isReachedByWatcher({ kube, namespace, flags }: Observed): Promise<boolean> {
  const own = ownLeaseOf(namespace, flags.leasePlace);
  const found = await kube.get<Lease>(lease(own.namespace, own.name)).catch(() => undefined);
  const facts = leaseFactsOf(found ? [found] : [], { namespace, leasePlace: flags.leasePlace });
  return facts.some(seesTemporal);
}

function failing(result: DoctorResult): Check[] {
  return [
    { name: 'Temporal', run: () => Promise.resolve(result) },
    ...names.map((name) => ({
      name,
      run: () => Promise.resolve(skipped(name, 'Temporal is not reached')),
    })),
  ];
}

function checksOf(observed: Observed, settings: TemporalSettings, connection: Connection): Check[] {
  const { namespace } = settings;
  const client = new Client({ connection, namespace, ...dataConverterOf(settings) });
  const within = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    connection.withDeadline(Date.now() + limitMs / 2, ask);
  return [
    { name: 'Temporal', run: () => within(() => server(connection, settings)) },
    { name: 'Temporal certificate', run: () => certificate(settings) },
    {
      name: 'Temporal namespace',
      run: () => within(() => ofNamespace(observed, connection, settings)),
    },
    { name: 'search attributes', run: () => within(() => attributes(client)) },
    ...queueChecks(observed, { client, within }),
    { name: 'Schedules', run: () => within(() => schedules(observed, client)) },
  ];
}

/** docs/supported-versions.md */
const oldestMinor = 29;

async function server(
  { workflowService }: Connection,
  { address }: TemporalSettings,
): Promise<DoctorResult> {
  const { serverVersion } = await workflowService.getSystemInfo({});
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(serverVersion) ?? [];
  const isOld = major === '1' && Number(minor) < oldestMinor;
  const text = `version ${serverVersion} at ${address}`;
  if (!isOld) return ok('Temporal', text);
  return warning(
    'Temporal',
    `${text} is older than 1.${oldestMinor}`,
    'upgrade the server: docs/supported-versions.md',
  );
}

async function certificate({ address, connection }: TemporalSettings): Promise<DoctorResult[]> {
  const check = 'Temporal certificate';
  const isTls = Boolean(connection.tls) || Boolean(connection.apiKey);
  if (!isTls) return [ok(check, 'the connection has no TLS')];
  const [, host = '', port = '7233'] = /^(?:.*:\/\/)?(.*?)(?::(\d+))?$/.exec(address) ?? [];
  const end = await endOfServerCertificate({ host, port: Number(port) });
  return [certificateResult(check, { whose: `of ${host}`, end })];
}

async function ofNamespace(
  { flags }: Observed,
  { workflowService }: Connection,
  { namespace, address }: TemporalSettings,
): Promise<DoctorResult> {
  const check = 'Temporal namespace';
  const found = await orMissing(workflowService.describeNamespace({ namespace }));
  const repair = `millwright setup --temporal-address ${address} --temporal-namespace ${namespace}`;
  if (!found) return error(check, `${namespace} does not exist`, repair);
  const { temporalNoted: own } = flags;
  if (own && isOtherThan(own, found.namespaceInfo?.id)) {
    return error(
      check,
      `${namespace} of ${address} is not that of the watcher, which has ${own.namespace} of ${own.address}`,
      'unset TEMPORAL_*, or name it with --temporal-address and --temporal-namespace',
    );
  }
  const seconds = Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  return ok(check, `${namespace} keeps closed workflows for ${seconds / 3_600} hours`);
}

async function attributes(client: Client): Promise<DoctorResult> {
  const check = 'search attributes';
  const { missing, mistyped } = await searchAttributeFaults(client);
  const { namespace } = client.options;
  if (mistyped.length > 0)
    return error(
      check,
      typesMessage(mistyped, namespace),
      'millwright setup, in another namespace',
    );
  if (missing.length === 0) return ok(check, 'all of them');
  const [own = ''] = commandsFor(missing, namespace);
  return error(
    check,
    `missing: ${missing.join(', ')}`,
    `millwright setup, or as an administrator: ${own}`,
  );
}

/** A check that is missing or paused lets trouble go unseen; machines come and go all the same. */
async function schedules(
  { flags, install, namespace }: Observed,
  client: Client,
): Promise<DoctorResult[]> {
  const check = 'Schedules';
  const clusterName = flags.clusterName || undefined;
  const states = await Promise.all(
    [roundsName, ...checkNames].map(async (name) => {
      const stateIn = async (fleetNamespace?: string): Promise<ScheduleFound> => {
        const fleet = fleetNamespace === undefined ? {} : { fleetNamespace };
        const id = scheduleIdOf(name, { name: install, clusterName, ...fleet });
        return { id, state: await stateOf(client, id) };
      };
      // The rounds of a fleet are of all its namespaces.
      const ofOne = name === roundsName ? undefined : namespace;
      const [own, ofFleet] = await Promise.all([stateIn(), stateIn(ofOne)]);
      return scheduleAmong([own, ofFleet], flags.isFleet);
    }),
  );
  const faults = states.filter(({ state }) => state !== 'runs');
  if (faults.length === 0) return [ok(check, `${states.length}, none is paused`)];
  const { namespace: ofTemporal } = client.options;
  return faults.map(({ id, state }) =>
    state === 'missing'
      ? warning(
          check,
          `${id} does not exist`,
          'workers make it when they start, unless its flag turns it off',
        )
      : warning(
          check,
          `${id} is paused`,
          `temporal schedule toggle --unpause --schedule-id ${id} --namespace ${ofTemporal} --reason repaired`,
        ),
  );
}

interface ScheduleFound {
  id: string;
  state: 'runs' | 'paused' | 'missing';
}

/** The one that there is; where there is none, the one that there should be. */
export function scheduleAmong(
  [own, ofFleet]: readonly [ScheduleFound, ScheduleFound],
  isFleet: boolean,
): ScheduleFound {
  const found = [own, ofFleet].find(({ state }) => state !== 'missing');
  return found ?? (isFleet ? ofFleet : own);
}

async function stateOf(client: Client, id: string): Promise<ScheduleFound['state']> {
  const found = await orMissing(
    client.workflowService.describeSchedule({
      namespace: client.options.namespace,
      scheduleId: id,
    }),
  );
  if (!found) return 'missing';
  return found.schedule?.state?.paused ? 'paused' : 'runs';
}
