/**
 * The driver of `provider: Azure`: virtual machines with one network interface, as Gardener's Azure
 * driver makes them.
 */
import { beforeCreate } from '../before-create.ts';
import type { Driver, ProviderRequest } from '../driver.ts';
import { DriverError } from '../driver.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { missing } from '../named-instance.ts';
import type { DriverSettings } from '../settings.ts';
import { apiVersionsOf } from './api-versions.ts';
import { createClientSource, type AzureClients, type ClientSource } from './client.ts';
import { cloudOf, requireUsableEndpoints } from './clouds.ts';
import { getConsoleOutput } from './console-output.ts';
import { createInstance } from './create.ts';
import { planCredentials } from './credentials.ts';
import { deleteInstance, deleteListed } from './delete.ts';
import { AzureFailure, driverErrorOf } from './error-mapping.ts';
import { describeInstance, instanceOf, look } from './find.ts';
import { limitScope, listInstances, listScope } from './list.ts';
import {
  defaultTiming,
  placeOf,
  sessionOf,
  type Choices,
  type Session,
  type Timing,
} from './session.ts';
import { defaultSshKey } from './ssh-key.ts';
import { validateProviderSpec } from './validate.ts';

/**
 * Instances are looked for by name at the Resource Manager, which shows them at once; this covers a
 * request that is still on its way.
 */
const settleSeconds = 30;

/**
 * Reads `MILLWRIGHT_AZURE_ENDPOINT`, `_AUTHORITY`, `_AUDIENCE`, `_CA_FILE`, `_SSH_PUBLIC_KEY` and
 * `_API_VERSION_...`, and `MILLWRIGHT_TOKEN_DIRECTORY`. Fails with the name of one that cannot be.
 */
export function createAzureDriver(
  settings: DriverSettings,
  timing: Timing = defaultTiming,
): Driver {
  requireUsableEndpoints(settings.env);
  const source = createClientSource({ apiVersions: apiVersionsOf(settings.env) });
  const choices = choicesOf(settings);
  const run: RunInSession = (request, act) =>
    runIn({ source, settings, timing, choices }, request, act);
  return {
    prepare: () => source.prepare(),
    settleSeconds,
    createInstance: (request) => run(request, (session) => createInstance(session, request)),
    describeInstance: (request) => run(request, (session) => describeInstance(session, request)),
    getConsoleOutput: (request) => run(request, (session) => getConsoleOutput(session, request)),
    initializeInstance: (request) =>
      run(request, async (session) => {
        const seen = await look(session, request);
        if (seen.outcome === 'found') return instanceOf(session, request, seen);
        throw missing(request);
      }),
    deleteInstance: (request) => run(request, (session) => deleteInstance(session, request)),
    listInstances: (request) => run(request, (session) => listInstances(session, request)),
    listScope,
    limitScope,
    deleteListed: (request) => run(request, (session) => deleteListed(session, request)),
    volumeIds: csiVolumeIds('disk.csi.azure.com', ({ azureDisk }) => Object(azureDisk).diskName),
    validate: validateProviderSpec,
  };
}

function choicesOf({ env, allowsRetagging = false }: DriverSettings): Choices {
  const sshPublicKey = defaultSshKey(env);
  return { allowsRetagging, ...(sshPublicKey !== undefined && { sshPublicKey }) };
}

type RunInSession = <Result>(
  request: ProviderRequest,
  act: (session: Session) => Promise<Result>,
) => Promise<Result>;

interface Surroundings {
  source: ClientSource;
  settings: DriverSettings;
  timing: Timing;
  choices: Choices;
}

/** A failure that reaches this point is not settled: an instance may exist. */
async function runIn<Result>(
  { source, settings, timing, choices }: Surroundings,
  request: ProviderRequest,
  act: (session: Session) => Promise<Result>,
): Promise<Result> {
  const clients = await beforeCreate(clientsFor(source, settings, request));
  try {
    return await act(sessionOf({ request, clients, timing, choices }));
  } catch (error) {
    throw error instanceof AzureFailure ? driverErrorOf(error, false) : error;
  }
}

async function clientsFor(
  source: ClientSource,
  settings: DriverSettings,
  { providerSpec, secret }: ProviderRequest,
): Promise<AzureClients> {
  placeOf(providerSpec);
  const cloud = cloudOf(Object(providerSpec).cloudConfiguration?.name, settings.env);
  const access = { cloud, plan: planCredentials(secret, settings) };
  try {
    return await source.of(access);
  } catch (cause) {
    // Such as a tenant that is no tenant, or a file of certificates that cannot be read.
    const message = `Azure credentials: ${cause instanceof Error ? cause.message : String(cause)}`;
    const fault = { code: 'Unauthenticated', kind: 'credentials', settled: false } as const;
    throw new DriverError({ ...fault, message, cause });
  }
}
