/** The namespaces that a process serves: those that are named, or those that have the labels. */
import { Reflector } from '../../kube/cache/reflector.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import type { NamespaceSelection } from '../config/config.ts';

export interface NamespacesOptions {
  selection: NamespaceSelection;
  /** Of the cluster with the Machines. */
  client: KubeClient;
  /** It is to be served from now on, also one that is being deleted: its Machines have to go. */
  onPresent(namespace: string): void;
  /** It is gone, or lost its labels. */
  onGone(namespace: string): void;
  /** Called for each failed read; it goes on by itself. */
  onError(error: unknown): void;
}

export interface Namespaces {
  /** Fulfilled when those that there are now were reported. */
  readonly synced: Promise<void>;
  /** False also where Namespaces are not read. */
  isDeleting(this: void, namespace: string): boolean;
  close(): Promise<void>;
}

/** Names that were given need no right to read Namespaces. */
export function watchNamespaces(options: NamespacesOptions): Namespaces {
  const { selection, onPresent } = options;
  switch (selection.kind) {
    case 'one':
      onPresent(selection.name);
      return fixed;
    case 'list':
      for (const name of selection.names) onPresent(name);
      return fixed;
    case 'selected':
      return watchSelected(selection.labels, options);
  }
}

const fixed: Namespaces = {
  synced: Promise.resolve(),
  isDeleting: () => false,
  close: async () => undefined,
};

function watchSelected(
  labels: string,
  { client, onPresent, onGone, onError }: NamespacesOptions,
): Namespaces {
  const reflector = new Reflector({
    client,
    path: '/api/v1/namespaces',
    query: { as: 'PartialObjectMetadata', ...(labels !== '' && { labelSelector: labels }) },
    transform: ({ metadata: { name, uid, resourceVersion, deletionTimestamp } }: KubeObject) => ({
      name,
      uid,
      resourceVersion,
      isDeleting: deletionTimestamp !== undefined,
    }),
    onChange({ type, object: { name } }) {
      if (type === 'live') onPresent(name);
      else onGone(name);
    },
    onError,
  });
  return {
    synced: reflector.synced,
    isDeleting: (namespace) => reflector.items.get(namespace)?.isDeleting ?? false,
    close: () => reflector.stop(),
  };
}
