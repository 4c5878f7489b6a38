/** Whether the person may do what the commands do: the API server is asked, nothing is tried. */
import type { KubeClient } from '../../activities/kube/client/client.ts';
import { group } from '../../workflows/api/constants.ts';

interface Right {
  group: string;
  resource: string;
  /** Default the object itself. */
  subresource?: string;
  verb: string;
  namespace: string;
}

interface Review {
  status?: { allowed?: boolean };
}

/** Such as `patch deployments.apps in machines`. */
export async function missingRights(
  kube: KubeClient,
  { namespace, release }: { namespace: string; release: string },
): Promise<string[]> {
  const rights = neededRights(namespace, release);
  const answers = await Promise.all(rights.map((right) => isAllowed(kube, right)));
  return rights.filter((_right, index) => !answers[index]).map(wordsOf);
}

function neededRights(namespace: string, release: string): Right[] {
  const places = [...new Set([namespace, release])];
  const ofDeployments = places.flatMap((place) =>
    ['get', 'list', 'patch'].map((verb) => ({
      group: 'apps',
      resource: 'deployments',
      verb,
      namespace: place,
    })),
  );
  const kinds = ['machines', 'machinesets', 'machinedeployments', 'machineclasses'];
  return [
    ...ofDeployments,
    ...places.map((place) => ({ group: '', resource: 'pods', verb: 'list', namespace: place })),
    ...['get', 'patch'].map((verb) => ({
      group: 'coordination.k8s.io',
      resource: 'leases',
      verb,
      namespace,
    })),
    ...kinds.map((resource) => ({ group, resource, verb: 'list', namespace })),
    { group, resource: 'machinedeployments', subresource: 'status', verb: 'patch', namespace },
  ];
}

async function isAllowed(kube: KubeClient, right: Right): Promise<boolean> {
  const review = await kube.create<Review>(
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: right },
    },
  );
  return review.status?.allowed ?? false;
}

function wordsOf({ verb, resource, subresource, group: of, namespace }: Right): string {
  const whole = of === '' ? resource : `${resource}.${of}`;
  return `${verb} ${whole}${subresource === undefined ? '' : `/${subresource}`} in ${namespace}`;
}
