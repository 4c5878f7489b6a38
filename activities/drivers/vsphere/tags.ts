/** How the owner of a virtual machine stands in its `extraConfig`, and MCM's in its attributes. */
import type { TagSpelling } from '../frame/cloud.ts';

/** The guest can change what begins with `guestinfo.`: the names of its owner must not. */
export const tags: TagSpelling = {
  word: 'tag',
  names: {
    cluster: 'millwright.cluster',
    namespace: 'millwright.namespace',
    machineUid: 'millwright.machine-uid',
    token: 'millwright.token',
  },
  allowed: /^[\x20-\x7e]{1,255}$/,
};

/** A clone that a person makes by hand copies all of these, and has another name. */
export const nameKey = 'millwright.machine';

/** The last step before it is switched on for the first time has been made. */
export const stepKey = 'millwright.configured';

/**
 * The role in classes that stand for a pool of Kubermatic's machine-controller, which leaves no
 * mark on what it makes.
 */
export const machineControllerRole = 'machine-controller';

/** Which cluster and role the tags of a class name, in either spelling. */
export function searchTagsOf(given: Readonly<Record<string, string>> = {}): {
  cluster?: string;
  role?: string;
} {
  const named = (kind: string): string | undefined => {
    const old = `kubernetes.io/${kind}/`;
    const key = Object.keys(given).find((one) => one.startsWith(old));
    return given[`mcm.gardener.cloud/${kind}`] || key?.slice(old.length);
  };
  const [cluster, role] = [named('cluster'), named('role')];
  return { ...(cluster && { cluster }), ...(role && { role }) };
}
