/** Where Azure's clouds are, by `cloudConfiguration.name`. */
import { DriverError } from '../driver.ts';
import type { Environment } from '../settings.ts';
import { refusal } from '../../schema/schema-check.ts';

export interface Cloud {
  /** The Resource Manager's URL. */
  endpoint: string;
  /** Who gives tokens. */
  authority: string;
  /**
   * What the tokens are for: the Resource Manager of the cloud that the class names, also where it
   * is reached through another endpoint.
   */
  scope: string;
  /** File with certificates (PEM) that are trusted instead of the system's. */
  caFile?: string;
  /** The authority is not one of Microsoft's: it is not looked up there. */
  isPrivate: boolean;
}

const clouds: Readonly<Record<string, { endpoint: string; authority: string }>> = {
  AzurePublic: {
    endpoint: 'https://management.azure.com',
    authority: 'https://login.microsoftonline.com',
  },
  AzureGovernment: {
    endpoint: 'https://management.usgovcloudapi.net',
    authority: 'https://login.microsoftonline.us',
  },
  AzureChina: {
    endpoint: 'https://management.chinacloudapi.cn',
    authority: 'https://login.chinacloudapi.cn',
  },
};

/**
 * Another endpoint comes from the process only, never from a class or a Secret: the credentials are
 * sent there.
 */
export function cloudOf(name: unknown, env: Environment): Cloud {
  const known = knownCloud(name ?? 'AzurePublic');
  if (!known) {
    const allowed = `one of ${Object.keys(clouds).join(', ')}`;
    const message = refusal('providerSpec.cloudConfiguration.name', name, allowed);
    throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
  }
  const authority = env['MILLWRIGHT_AZURE_AUTHORITY'];
  const caFile = env['MILLWRIGHT_AZURE_CA_FILE'];
  return {
    endpoint: withoutSlash(env['MILLWRIGHT_AZURE_ENDPOINT'] || known.endpoint),
    authority: withoutSlash(authority || known.authority),
    scope: `${env['MILLWRIGHT_AZURE_AUDIENCE'] || known.endpoint}/.default`,
    ...(caFile && { caFile }),
    isPrivate: Boolean(authority),
  };
}

/** The class is not checked yet: it may name anything. */
function knownCloud(name: unknown): (typeof clouds)[string] | undefined {
  return typeof name === 'string' && Object.hasOwn(clouds, name) ? clouds[name] : undefined;
}

/** Checks the endpoints of the process when the driver is made. */
export function requireUsableEndpoints(env: Environment): void {
  for (const name of ['MILLWRIGHT_AZURE_ENDPOINT', 'MILLWRIGHT_AZURE_AUTHORITY']) {
    const value = env[name];
    if (value && URL.parse(value)?.protocol !== 'https:') {
      throw new Error(`${name}: "${value}" is not a URL of the form https://HOST[:PORT]`);
    }
  }
  const audience = env['MILLWRIGHT_AZURE_AUDIENCE'];
  if (audience && !URL.canParse(audience)) {
    const message = `MILLWRIGHT_AZURE_AUDIENCE: "${audience}" is not a URI, such as https://management.azure.com`;
    throw new Error(message);
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? withoutSlash(url.slice(0, -1)) : url;
}
