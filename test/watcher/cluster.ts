/**
 * Objects in, signals out: caches, store and dispatch as the watcher joins them, without any
 * connection.
 */
import type { KubeObject } from '../../kube/client/client.ts';
import { ObjectCache } from '../../kube/cache/object-cache.ts';
import { dispatch } from '../../watcher/dispatch/dispatch.ts';
import { trimmedMeta } from '../../watcher/cache/metadata.ts';
import { viewOfMachine } from '../../watcher/cache/machine-view.ts';
import { viewOfClass, viewOfNode, viewOfSecret } from '../../watcher/cache/other-views.ts';
import { viewOfPolicy } from '../../watcher/cache/policy-view.ts';
import { viewOfMachineDeployment, viewOfMachineSet } from '../../watcher/cache/set-view.ts';
import type { DispatchContext } from '../../watcher/dispatch/context.ts';
import type { Signal } from '../../watcher/dispatch/signal.ts';
import { Store } from '../../watcher/cache/store.ts';
import type { WatchedChange } from '../../watcher/cache/store.ts';

export class Cluster {
  readonly store = new Store();
  readonly scene: DispatchContext = {
    store: this.store,
    namespace: 'default',
    cluster: 'c',
    epoch: 7,
  };
  readonly machines = new ObjectCache({
    transform: viewOfMachine,
    onChange: (change) => this.#take({ ...change, resource: 'machines' }),
    onError,
  });
  readonly machineSets = new ObjectCache({
    transform: viewOfMachineSet,
    onChange: (change) => this.#take({ ...change, resource: 'machineSets' }),
    onError,
  });
  readonly machineDeployments = new ObjectCache({
    transform: viewOfMachineDeployment,
    onChange: (change) => this.#take({ ...change, resource: 'machineDeployments' }),
    onError,
  });
  readonly classes = new ObjectCache({
    transform: viewOfClass,
    onChange: (change) => this.#take({ ...change, resource: 'machineClasses' }),
    onError,
  });
  readonly secrets = new ObjectCache({
    transform: (secret: KubeObject) => viewOfSecret(secret),
    onChange: (change) => this.#take({ ...change, resource: 'secrets' }),
    onError,
  });
  readonly nodes = new ObjectCache({
    transform: viewOfNode,
    onChange: (change) => this.#take({ ...change, resource: 'nodes' }),
    onError,
  });
  readonly configMaps = new ObjectCache({
    transform: ({ metadata }: KubeObject) => trimmedMeta(metadata),
    onChange: (change) => this.#take({ ...change, resource: 'configMaps' }),
    onError,
  });
  readonly policies = new ObjectCache({
    transform: viewOfPolicy,
    onChange: (change) => this.#take({ ...change, resource: 'disruptionPolicies' }),
    onError,
  });
  #version = 100;
  #signals: Signal[] = [];

  /** The object at the next resourceVersion. */
  now<K extends { metadata: { resourceVersion: string } }>(object: K): K {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    return { ...object, metadata };
  }

  /** Signals since the last call. */
  signals(): Signal[] {
    const signals = this.#signals;
    this.#signals = [];
    return signals;
  }

  /** The same in short: `machineObserved machine/a`. */
  told(): string[] {
    return this.signals().map(({ name, kind, object }) => `${name} ${kind}/${object}`);
  }

  #take(change: WatchedChange): void {
    this.store.apply(change);
    this.#signals.push(...dispatch(change, this.scene));
  }
}

function onError(error: unknown): void {
  throw error;
}
