import type { CloudInstanceRequest } from '../../activities/drivers/virtual/client.ts';

/** A request to the virtual cloud for a VM that no driver of ours makes: without tags of ours. */
export function plainInstance(
  given: Pick<CloudInstanceRequest, 'name' | 'token'> & Partial<CloudInstanceRequest>,
): CloudInstanceRequest {
  return {
    zone: 'a',
    size: 'small',
    spec: {},
    tags: {},
    userDataDigest: '',
    labels: {},
    annotations: {},
    taints: [],
    needsInitialization: false,
    ...given,
  };
}
