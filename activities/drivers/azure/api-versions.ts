/**
 * Which versions of Azure's APIs are asked for. Those that the SDKs choose are months old at most,
 * and Azure China, Azure Government and air-gapped clouds get them a year later; the ones here have
 * all that is sent, and have been in all of these clouds for long.
 */
import type { Environment } from '../settings.ts';

const services = {
  /** Virtual machines and images. */
  COMPUTE: { version: '2024-03-01', path: /\/providers\/Microsoft\.Compute\//i },
  /** A service of its own within Microsoft.Compute. */
  DISKS: { version: '2023-10-02', path: /\/providers\/Microsoft\.Compute\/disks(\/|$)/i },
  NETWORK: { version: '2024-01-01', path: /\/providers\/Microsoft\.Network\//i },
  GRAPH: { version: '2022-10-01', path: /\/providers\/Microsoft\.ResourceGraph\//i },
  MARKETPLACE: { version: '2021-01-01', path: /\/providers\/Microsoft\.MarketplaceOrdering\//i },
} as const;

export type Service = keyof typeof services;
export type ApiVersions = Readonly<Record<Service, string>>;

/** The most special one first. */
const order: readonly Service[] = ['DISKS', 'COMPUTE', 'NETWORK', 'GRAPH', 'MARKETPLACE'];

const variableOf = (service: Service): string => `MILLWRIGHT_AZURE_API_VERSION_${service}`;

/**
 * `MILLWRIGHT_AZURE_API_VERSION_COMPUTE`, `_DISKS`, `_NETWORK`, `_GRAPH` and `_MARKETPLACE` of the
 * process; each has a default. Fails with the name of one that cannot be.
 */
export function apiVersionsOf(env: Environment): ApiVersions {
  const version = (service: Service): string => {
    const value = env[variableOf(service)];
    if (!value) return services[service].version;
    if (/^\d{4}-\d\d-\d\d(-preview)?$/.test(value)) return value;
    const message = `${variableOf(service)}: "${value}" is not a version of an API of Azure: YYYY-MM-DD or YYYY-MM-DD-preview, such as ${services[service].version}`;
    throw new Error(message);
  };
  return {
    COMPUTE: version('COMPUTE'),
    DISKS: version('DISKS'),
    NETWORK: version('NETWORK'),
    GRAPH: version('GRAPH'),
    MARKETPLACE: version('MARKETPLACE'),
  };
}

/**
 * Takes an absolute URL, or one from the slash after its host. Undefined: its version is not chosen
 * here.
 */
function serviceOf(url: string): Service | undefined {
  const [path = ''] = url.split('?');
  // What a write names to be asked is asked for as it was named.
  if (/\/locations\/[^/]+\/\w*operation\w*\//i.test(path)) return undefined;
  return order.find((service) => services[service].path.test(path));
}

export function withApiVersion(url: string, apiVersions: ApiVersions): string {
  const service = serviceOf(url);
  // The SDKs escape the dash.
  const version = /([?&]api(?:-|%2D)version=)[^&]*/i;
  return service ? url.replace(version, `$1${apiVersions[service]}`) : url;
}

/** For a cloud that refuses the version in this URL. */
export function versionAdvice(url: string): string | undefined {
  const service = serviceOf(url);
  if (!service) return undefined;
  const version = new URL(url, 'https://azure.invalid').searchParams.get('api-version');
  return `this cloud does not have version ${version} of that API: set ${variableOf(service)} of the worker to one that it has`;
}
