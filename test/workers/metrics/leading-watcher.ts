/** A watcher that leads: the real store with real views, and the real registry. */
import { Registry } from 'prom-client';
import type { Change, CachedObject } from '../../../kube/cache/object-cache.ts';
import { viewOfMachine } from '../../../watcher/cache/machine-view.ts';
import { viewOfClass } from '../../../watcher/cache/other-views.ts';
import { viewOfMachineDeployment, viewOfMachineSet } from '../../../watcher/cache/set-view.ts';
import type { WatchedChange } from '../../../watcher/cache/store.ts';
import { Store } from '../../../watcher/cache/store.ts';
import type { DoubtKind } from '../../../watcher/doubt.ts';
import type { SourceState, TermView } from '../../../watcher/term.ts';
import { TermRecorder } from '../../../workers/metrics/term-recorder.ts';
import { registerWatcherMetrics } from '../../../workers/metrics/watchers.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import { namespace } from '../../support/builders.ts';

type Watched = Machine | MachineSet | MachineDeployment | MachineClass;

export class LeadingWatcher {
  readonly registry = new Registry();
  readonly recorder = new TermRecorder(namespace);
  readonly doubts = new Map<DoubtKind, number>();
  isLeader = true;
  /** The first lists are in. */
  isListed = true;
  stoppedSince: number | undefined;
  readonly unservedSince = new Map<string, number | undefined>();
  readonly backlog = new Map<'machine' | 'machineSet', number>();
  readonly signals = { sent: 0, dropped: 0, merged: 0, failed: 0 };
  readonly sources = new Map<'machines' | 'nodes', SourceState>();
  readonly #store = new Store();

  constructor() {
    const watcher = {
      isLeader: () => this.isLeader,
      term: () => (this.isLeader ? this.#term() : undefined),
      doubts: this.doubts,
    };
    registerWatcherMetrics(this.registry, {
      watchers: new Map([[namespace, { watcher, recorder: () => this.recorder }]]),
      creationTimeoutSeconds: 1_200,
    });
  }

  /** What a watch reports. */
  put(...objects: Watched[]): void {
    for (const object of objects) this.#take('live', object);
  }

  remove(...objects: Watched[]): void {
    for (const object of objects) this.#take('gone', object);
  }

  /** Lines of this series, without its help. */
  async lines(name: string): Promise<string[]> {
    const text = await this.registry.metrics();
    return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line === name);
  }

  /** Of the one sample with these labels, among others; undefined when there is none. */
  async value(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const lines = (await this.lines(name)).filter((line) => wanted.every((w) => line.includes(w)));
    if (lines.length > 1) throw new Error(`${name} is ambiguous: ${lines.join(', ')}`);
    return lines[0] === undefined ? undefined : Number(lines[0].split(' ').at(-1));
  }

  #take(type: 'live' | 'gone', object: Watched): void {
    const change = this.#changeOf(type, object);
    this.#store.apply(change);
    this.recorder.changed(change, this.#store);
  }

  #changeOf(type: 'live' | 'gone', object: Watched): WatchedChange {
    switch (object.kind) {
      case 'Machine': {
        const previous = this.#store.find('machines', object.metadata.name);
        return {
          resource: 'machines',
          ...changeTo(type, viewOfMachine(object, previous), previous),
        };
      }
      case 'MachineSet': {
        const previous = this.#store.find('machineSets', object.metadata.name);
        return { resource: 'machineSets', ...changeTo(type, viewOfMachineSet(object), previous) };
      }
      case 'MachineDeployment': {
        const previous = this.#store.find('machineDeployments', object.metadata.name);
        const view = viewOfMachineDeployment(object);
        return { resource: 'machineDeployments', ...changeTo(type, view, previous) };
      }
      case 'MachineClass': {
        const previous = this.#store.find('machineClasses', object.metadata.name);
        return { resource: 'machineClasses', ...changeTo(type, viewOfClass(object), previous) };
      }
    }
  }

  #term(): TermView {
    return {
      store: this.isListed ? this.#store : undefined,
      signals: this.signals,
      backlog: () => this.backlog,
      sources: this.sources,
      stoppedSince: this.stoppedSince,
      unservedSince: this.unservedSince,
    };
  }
}

function changeTo<T extends CachedObject>(
  type: 'live' | 'gone',
  object: T,
  previous: T | undefined,
): Change<T> {
  const { resourceVersion } = object;
  return { type, object, previous, resourceVersion, isNews: true };
}
