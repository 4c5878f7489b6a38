import type { CreateRequest } from '../../../activities/drivers/driver.ts';

/** What a driver is asked for a Machine of this name; the rest as it mostly is. */
export function aRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return {
    cluster: 'cluster-1',
    machine: { namespace: 'shoot', name, uid: `uid-of-${name}` },
    token: `uid-of-${name}-0`,
    providerSpec: {},
    secret: {},
    userData: '',
    isClaimed: () => false,
    signal: new AbortController().signal,
    ...more,
  };
}

/** All that ask the cloud. */
export const callNames = [
  'createInstance',
  'describeInstance',
  'initializeInstance',
  'deleteInstance',
  'listInstances',
  'deleteListed',
] as const;
