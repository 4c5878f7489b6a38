/** Identity of a namespace for Temporal, and where its Nodes are. */
import { orAborted } from '../../activities/system/or-aborted.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Config } from '../config/config.ts';
import type { ClientSource, CreateClient, KubeClients } from '../kube/clients.ts';
import type { Identity } from '../temporal/identity.ts';
import { idOfTarget } from '../temporal/identity.ts';
import { isFleet } from './fleet.ts';
import type { Attempt } from './served-namespace.ts';

export interface MemberParts {
  config: Config;
  /** Of the process. */
  clients: KubeClients;
  /** Of the process. */
  identity: Identity;
  createClient: CreateClient;
}

export interface Member {
  identity: Identity;
  clients: Pick<KubeClients, 'control' | 'target'>;
  /** Set where the namespace has a target cluster of its own. */
  ownTarget?: { client: KubeClient; source: ClientSource };
}

/** Throws when the target cluster of the namespace does not answer. */
export async function joinFleet(
  { config, clients, identity, createClient }: MemberParts,
  { namespace, access, scope, signal }: Pick<Attempt, 'namespace' | 'access' | 'scope' | 'signal'>,
): Promise<Member> {
  const named = { ...identity, ...(isFleet(config) && { fleetNamespace: namespace }) };
  if (!access) return { identity: named, clients };
  const source: ClientSource = { kind: 'given', kubeConfig: access.kubeConfig };
  const client = createClient(source, config);
  scope.add('client of the target cluster', () => client.close());
  // A target that hangs holds up neither the end of the process nor another kubeconfig.
  const target = await orAborted(
    idOfTarget(client, () => access.kubeConfig),
    signal,
  );
  return {
    identity: { ...named, target },
    clients: { control: clients.control, target: client },
    ownTarget: { client, source },
  };
}
